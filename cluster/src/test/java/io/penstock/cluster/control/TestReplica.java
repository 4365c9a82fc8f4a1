package io.penstock.cluster.control;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A replica with nothing but its control bus. */
public final class TestReplica implements AutoCloseable {
    public static final Subject SUBJECT = new Subject("acme", "crawler", "files", "read", null);

    final RecordedCalls calls = new RecordedCalls();
    final List<String> events = new CopyOnWriteArrayList<>();
    final AtomicLong tickerOffset = new AtomicLong();
    final AtomicLong wallOffsetMillis = new AtomicLong();
    final AtomicLong keysRead = new AtomicLong();

    /** What happens in the middle of a read that reads the keys too. */
    volatile During duringRead = () -> {};

    final ControlBus bus;
    private final LongSupplier ticker = () -> System.nanoTime() + tickerOffset.get();

    /** Something that uses a connection. */
    @FunctionalInterface
    interface During {
        void run() throws SQLException;
    }

    public TestReplica(String name, DatabaseConfig database) {
        this(name, database, null);
    }

    TestReplica(String name, DatabaseConfig database, @Nullable Path latchFile) {
        InstantSource wall =
                () -> InstantSource.system().instant().plusMillis(wallOffsetMillis.get());
        bus =
                new ControlBus(
                        new BusConfig(
                                name,
                                new Announcement(
                                        "0.1-test", "data:" + name, "admin:" + name, "hash"),
                                BusConfig.POLL,
                                latchFile),
                        new Connector(database),
                        new Loader(),
                        new Clocks(ticker, wall, UUID::randomUUID));
    }

    /** The first revision, without which nobody opens. */
    public static void makeRevision(TestDatabase database) throws SQLException {
        try (Connection owner = database.connectAsOwner();
                var s = owner.prepareStatement("select penstock.adopt_revision_v1(0, 1, ?)")) {
            s.setInt(1, 1000);
            s.execute();
        }
    }

    /** Starts, and waits until it admits. */
    public static TestReplica open(String name, TestDatabase database) throws Exception {
        TestReplica replica = new TestReplica(name, database.gateway());
        replica.start();
        Await.until(name + " opens", replica::admits);
        return replica;
    }

    public void start() {
        bus.start(calls, new Told(), () -> 0);
    }

    public ControlBus bus() {
        return bus;
    }

    public boolean admits() {
        return judge() == Judgement.CLEAR;
    }

    Judgement judge() {
        return bus.view().current().judge(SUBJECT, ticker.getAsLong());
    }

    boolean trusts(Snapshot state) {
        return state.trusted(ticker.getAsLong());
    }

    /**
     * Lets its clocks run on until the lease is over, if it is old enough that a beat under way
     * outlasts it by a tenth of a second.
     */
    boolean passToTheEndOfTheLease() {
        long leftNanos = bus.view().current().trustedUntilNanos() - ticker.getAsLong();
        long millis = Math.max(0, leftNanos / 1_000_000) + 1;
        if (millis > 650) {
            return false;
        }
        tickerOffset.addAndGet(millis * 1_000_000);
        wallOffsetMillis.addAndGet(millis);
        return true;
    }

    public long epoch() {
        return bus.view().current().epoch();
    }

    /** Open calls that match a stop, as this replica reports them. */
    public void openCalls(int count) {
        calls.open.set(count);
    }

    @Override
    public void close() {
        bus.close();
    }

    private final class Loader implements StateLoader {
        @Override
        public KeyRing keys(Connection connection) throws SQLException {
            keysRead.incrementAndGet();
            duringRead.run();
            return KeyRing.EMPTY;
        }

        @Override
        public Rules rules(Connection connection, long revision) {
            List<Budget> none = List.of();
            return new Rules(revision, none, Map.of("files", Mode.ENFORCE), Duration.ofSeconds(1));
        }
    }

    private final class Told implements BusEvents {
        @Override
        public void incarnationChanged(Incarnation over, Incarnation next) {
            events.add("incarnation");
        }

        @Override
        public void serverChanged() {
            events.add("server");
        }

        @Override
        public void opened() {
            events.add("opened");
        }

        @Override
        public void lapsed(String reason) {
            events.add("lapsed");
        }
    }
}

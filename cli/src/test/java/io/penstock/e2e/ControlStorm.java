package io.penstock.e2e;

import io.penstock.cluster.control.Orders;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The control plane at its busiest: what {@value #REPLICAS} replicas ask of the database for their
 * leases, a thousand stops in force, and the epoch raised {@value #CHANGES} times a second, every
 * other time by a stop that is given, and by one that is lifted in between. Each replica beats four
 * times a second, reads the state as a beat does, and acknowledges where it is new.
 */
final class ControlStorm implements AutoCloseable {
    static final int REPLICAS = 200;
    static final int STOPS = 1_000;
    static final int CHANGES = 50;

    private static final int BEATERS = 8;
    private static final long BEAT_NANOS = 250_000_000;
    private static final String BEAT =
            "select * from penstock.beat_v1(?, ?, 'open', 1000, ?, 'storm', 'none', 'none', 'none',"
                    + " 0, 0, false)";
    private static final String STATE = "select * from penstock.%s(?)";
    private static final String ACKNOWLEDGE = "select penstock.acknowledge_v1(?, ?, ?, 0, 0, 0)";
    private static final String CLOSE = "select penstock.close_v1(?, ?)";

    /**
     * What part of it: the whole of it takes most of two processors, and a test of the usual run
     * has to hold on a machine that does other things too.
     */
    enum Strength {
        WHOLE(1),
        FOURTH(4);

        private final int part;

        Strength(int part) {
            this.part = part;
        }
    }

    private final int part;
    private final TestDatabase database;
    private final String state;
    private final List<Simulated> replicas;
    private final Deque<UUID> given = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<@Nullable SQLException> failure = new AtomicReference<>();
    private final LongAdder beats = new LongAdder();
    private final LongAdder changes = new LongAdder();
    private final long began;
    private int named;

    /** One replica of which nothing runs but its heart. */
    private static final class Simulated {
        private final String name;
        private final UUID incarnation = UUID.randomUUID();
        private long epoch;

        private Simulated(String name) {
            this.name = name;
        }
    }

    private ControlStorm(TestDatabase database, Strength strength) throws SQLException {
        this.database = database;
        part = strength.part;
        state = latestOf(database, "control_state");
        replicas =
                IntStream.range(0, REPLICAS / part)
                        .mapToObj(i -> new Simulated("storm-" + i))
                        .toList();
        try (Connection operator = database.connectAsOperator()) {
            while (named < STOPS) given.addAll(give(operator, 100));
        }
        began = System.nanoTime();
        for (int i = 0; i < BEATERS; i++) {
            int first = i;
            start("e2e-beats-" + i, () -> beat(first));
        }
        start("e2e-changes", this::change);
    }

    /** Begins; the stops are in force when it returns, and cover no agent of any test. */
    static ControlStorm start(TestDatabase database, Strength strength) throws SQLException {
        return new ControlStorm(database, strength);
    }

    double beatsPerSecond() {
        return beats.sum() * 1e9 / (System.nanoTime() - began);
    }

    double changesPerSecond() {
        return changes.sum() * 1e9 / (System.nanoTime() - began);
    }

    /** Something that uses the database until the storm is over. */
    @FunctionalInterface
    private interface Work {
        void run() throws SQLException;
    }

    private void start(String name, Work work) {
        threads.add(
                Thread.ofPlatform()
                        .daemon()
                        .name(name)
                        .start(
                                () -> {
                                    try {
                                        work.run();
                                    } catch (SQLException e) {
                                        failure.compareAndSet(null, e);
                                    }
                                }));
    }

    /** Every {@link #BEATERS}th replica, evenly spread over the time between two beats. */
    private void beat(int first) throws SQLException {
        try (Connection connection = new Connector(database.gateway()).open(Purpose.LEASE);
                PreparedStatement beat = connection.prepareStatement(BEAT);
                PreparedStatement read = connection.prepareStatement(STATE.formatted(state));
                PreparedStatement acknowledge = connection.prepareStatement(ACKNOWLEDGE)) {
            int each = replicas.size() / BEATERS;
            for (int i = 0; !over.get(); i++) {
                pace(i * (BEAT_NANOS / each) + first * (BEAT_NANOS / replicas.size()));
                Simulated replica = replicas.get(first + BEATERS * (i % each));
                beat.setString(1, replica.name);
                beat.setObject(2, replica.incarnation);
                beat.setLong(3, replica.epoch);
                beat.executeQuery().close();
                read.setLong(1, replica.epoch);
                long epoch = number(read);
                if (epoch > replica.epoch) {
                    replica.epoch = epoch;
                    acknowledge.setString(1, replica.name);
                    acknowledge.setObject(2, replica.incarnation);
                    acknowledge.setLong(3, epoch);
                    acknowledge.executeQuery().close();
                }
                beats.increment();
            }
            try (PreparedStatement close = connection.prepareStatement(CLOSE)) {
                for (int i = first; i < replicas.size(); i += BEATERS) {
                    close.setString(1, replicas.get(i).name);
                    close.setObject(2, replicas.get(i).incarnation);
                    close.executeQuery().close();
                }
            }
        }
    }

    private void change() throws SQLException {
        try (Connection operator = database.connectAsOperator()) {
            for (int i = 0; !over.get(); i++) {
                pace(i * 1_000_000_000L * part / CHANGES);
                if (i % 2 == 0) {
                    given.addAll(give(operator, 1));
                } else {
                    List<UUID> oldest = List.of(given.removeFirst());
                    Orders.tell(
                            operator, Orders.resume(operator, oldest, "storm", "storm").epoch());
                }
                changes.increment();
            }
        }
    }

    private List<UUID> give(Connection operator, int count) throws SQLException {
        List<StopOrder.Target> targets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            targets.add(
                    new StopOrder.Target(UUID.randomUUID(), new Scope.Tenant("storm-" + named++)));
        }
        Orders.tell(
                operator,
                Orders.stop(operator, new StopOrder(targets, "storm", "storm", false, false))
                        .epoch());
        return targets.stream().map(StopOrder.Target::id).toList();
    }

    private void pace(long afterNanos) {
        for (long left = began + afterNanos - System.nanoTime();
                left > 0 && !over.get();
                left = began + afterNanos - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(left, 50_000_000));
        }
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** The newest version of a function, which is the one that replicas call. */
    private static String latestOf(TestDatabase database, String function) throws SQLException {
        try (Connection connection = database.connectAsSuperuser();
                PreparedStatement s =
                        connection.prepareStatement(
                                "select max(proname) from pg_proc where proname like ?")) {
            s.setString(1, function + "\\_v%");
            try (ResultSet rows = s.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    /** Ends it; its replicas are closed, its stops stay. */
    @Override
    public void close() {
        over.set(true);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
        SQLException failed = failure.get();
        if (failed != null) throw new AssertionError("the storm ended early", failed);
    }
}

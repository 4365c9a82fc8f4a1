package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.StandbyPair;
import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary dies under load after its link to the synchronous standby went, and the standby is
 * promoted: whatever a caller was told is there, and every budget is what it was.
 */
@Timeout(120)
final class LedgerFailoverIT {
    private static final Subject BOB = new Subject("t", "bob", "s", "tool", null);
    private static final Budget BUDGET = Batches.budget("b", 1_000_000, Batches.LONG, Mode.ENFORCE);

    @TempDir Path folder;

    @Test
    void failover_toTheSynchronousStandby_losesAndGivesNothingTwice() throws Exception {
        AtomicReference<LossyProxy> made = new AtomicReference<>();
        try (StandbyPair pair =
                        StandbyPair.start(
                                folder,
                                url -> {
                                    made.set(lossy(url));
                                    return made.get().through(url);
                                });
                LossyProxy link = made.get();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            overload(pair, threads, link);
        }
    }

    private static LossyProxy lossy(String url) {
        try {
            return new LossyProxy(url);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void overload(StandbyPair pair, ExecutorService threads, LossyProxy link)
            throws Exception {
        TestDatabase database = pair.database();
        Set<UUID> told = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        FixedControl control = control(database);
        try (Lanes lanes = lanes(pair, control)) {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Snapshot state = control.view().current();
                callers.add(threads.submit(() -> callUntil(over, lanes, state, told)));
            }
            await(() -> told.size() > 500);

            link.cut();
            Thread.sleep(300);
            pair.crashPrimary();
            int before = told.size();
            pair.promote();

            await(() -> told.size() > before + 500);
            over.set(true);
            for (Future<?> caller : callers) {
                caller.get();
            }
            await(() -> balanced(pair.onStandby().superuser(), told));
        }
    }

    private static FixedControl control(TestDatabase database) throws SQLException {
        try (Connection c = database.connectAsOwner()) {
            return new FixedControl(
                    number(c, "select epoch from penstock.control"), List.of(BUDGET));
        }
    }

    private static Lanes lanes(StandbyPair pair, FixedControl control) throws SQLException {
        UUID incarnation = Incarnations.register(pair.database());
        Connector connector = new Connector(pair.either(pair.database().gateway()));
        Lanes lanes =
                new Lanes(
                        new LanesConfig(Duration.ofSeconds(2), 10_000, 2),
                        new PostgresLaneOpener(
                                () -> connector.open(Purpose.LANE), c -> {}, incarnation),
                        control,
                        AdmissionListener.NONE,
                        () -> {},
                        System::nanoTime);
        lanes.start();
        return lanes;
    }

    private static void callUntil(AtomicBoolean over, Lanes lanes, Snapshot state, Set<UUID> told) {
        while (!over.get()) {
            UUID call = UUID.randomUUID();
            AdmissionRequest request =
                    new AdmissionRequest(
                            call,
                            BOB,
                            state.rules().budgets().claim(BOB, Mode.ENFORCE),
                            "tools/call",
                            state,
                            60_000,
                            System.nanoTime());
            if (lanes.admit(request) instanceof Verdict.Admitted) {
                told.add(call);
            }
        }
    }

    /** Intents that were not undone are the calls that somebody was told of, and were charged. */
    private static boolean balanced(DatabaseConfig database, Set<UUID> told) throws SQLException {
        try (Connection c = new Connector(database).open(Purpose.OPERATOR)) {
            Set<UUID> sent = calls(c, "kind = 'intent'");
            assertThat(sent).as("what was told is there").containsAll(told);
            sent.removeAll(calls(c, "outcome = 'not-sent'"));
            long used = number(c, "select used from penstock.counter where key like '%:b%'");
            return sent.equals(told) && used == told.size();
        }
    }

    private static Set<UUID> calls(Connection c, String where) throws SQLException {
        Set<UUID> calls = new HashSet<>();
        try (PreparedStatement s =
                        c.prepareStatement("select call from penstock.journal where " + where);
                ResultSet rows = s.executeQuery()) {
            while (rows.next()) {
                calls.add(rows.getObject(1, UUID.class));
            }
        }
        return calls;
    }

    private static long number(Connection c, String sql) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql);
                ResultSet row = s.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("it never came true").isLessThan(end);
            Thread.sleep(5);
        }
    }
}

package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetLedger.Resolved;
import io.penstock.budget.BudgetLedger.Returned;
import io.penstock.budget.Counter;
import io.penstock.budget.Settlement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Holds, whoever ends them and however often: each ends once, what was spent is what the journal
 * says, and nothing is given back twice.
 */
final class LedgerHoldsIT {
    private static final String LATE =
            "update penstock.hold set ends_by = now() - interval '1 second'";

    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    private final Counter tokens = HeldCalls.tokens();
    private final Counter slots = HeldCalls.slots();

    private static PostgresFixture ledger() {
        return LEDGERS.fixture();
    }

    private List<UUID> admit(int count) {
        return HeldCalls.admit(ledger(), count, tokens, slots);
    }

    /** Settles every call, one transaction each, in the given order. */
    private void settleAll(int lane, List<UUID> calls) {
        try (BudgetLedger ledger = ledger().lane(lane)) {
            long seq = ledger.lastSeq();
            for (UUID call : calls) {
                Settlement settlement = HeldCalls.settled(++seq, call, 1, tokens, slots);
                assertThat(ledger.settle(settlement)).isInstanceOf(Returned.class);
            }
        }
    }

    private static void together(Runnable... tasks) throws Exception {
        CyclicBarrier start = new CyclicBarrier(tasks.length);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<Void>> all =
                    Arrays.stream(tasks)
                            .<Callable<Void>>map(
                                    task ->
                                            () -> {
                                                start.await();
                                                task.run();
                                                return null;
                                            })
                            .toList();
            for (Future<Void> future : threads.invokeAll(all)) {
                future.get();
            }
        }
    }

    /** All holds are ended, each once, and the counter has what the journal tells. */
    private void assertEndedOnce(List<UUID> calls) {
        assertThat(ledger().holds()).isZero();
        assertThat(ledger().held(tokens)).isZero();
        assertThat(ledger().held(slots)).isZero();
        assertThat(ledger().used(slots)).isZero();
        Set<String> ended = new HashSet<>();
        long spent = 0;
        for (String line : ledger().ended()) {
            String[] parts = line.split(" ");
            if (parts[1].equals("toke")) {
                assertThat(ended.add(parts[0])).as("ended once: " + line).isTrue();
                spent += Long.parseLong(parts[2]);
            }
        }
        assertThat(ended).hasSize(calls.size());
        assertThat(ledger().used(tokens)).isEqualTo(spent);
    }

    @Test
    void settle_whileTheLeaderSweeps_eachHoldEndsOnce() throws Exception {
        List<UUID> calls = admit(300);
        ledger().execute(LATE);

        together(
                () -> settleAll(1, calls.reversed()),
                () -> {
                    while (ledger().sweepHolds() > 0) {}
                });

        assertEndedOnce(calls);
    }

    @Test
    void settle_onTwoLanesAtOnce_eachHoldEndsOnce() throws Exception {
        List<UUID> calls = admit(200);

        together(() -> settleAll(1, calls), () -> settleAll(2, calls.reversed()));

        assertEndedOnce(calls);
        assertThat(ledger().used(tokens)).isEqualTo(200);
    }

    @Test
    void settle_sameNumberAgain_changesNothing() {
        UUID call = admit(1).getFirst();
        Settlement settlement = HeldCalls.settled(1, call, 2, tokens, slots);
        try (BudgetLedger lane = ledger().lane(1)) {
            assertThat(lane.settle(settlement)).isInstanceOf(Returned.class);
            assertThat(lane.settle(settlement)).isInstanceOf(Returned.class);
        }

        assertEndedOnce(List.of(call));
        assertThat(ledger().used(tokens)).isEqualTo(2);
    }

    /**
     * The connection goes in the middle of the transaction, which waits for a row that is locked.
     */
    @Test
    void settle_backendKilledInIt_isUnknownAndCanBeRepeated() throws Exception {
        UUID call = admit(1).getFirst();
        Settlement settlement = HeldCalls.settled(1, call, 2, tokens, slots);
        Connection victim = ledger().connect();
        int pid;
        try (Statement s = victim.createStatement();
                ResultSet row = s.executeQuery("select pg_backend_pid()")) {
            row.next();
            pid = row.getInt(1);
        }
        try (Connection blocker = LEDGERS.database().connectAsSuperuser();
                BudgetLedger lane = PostgresLedger.open(victim, ledger().incarnation, 1);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            blocker.setAutoCommit(false);
            execute(blocker, "select 1 from penstock.counter for update");
            Future<BudgetLedger.Return> answer = threads.submit(() -> lane.settle(settlement));
            awaitWaiting(pid);
            superuser("select count(*) from pg_terminate_backend(" + pid + ", 5000)");
            assertThat(answer.get()).isInstanceOf(BudgetLedger.Unknown.class);
            blocker.rollback();
        }
        assertThat(ledger().holds()).as("nothing of it is in").isEqualTo(2);

        try (BudgetLedger again = ledger().lane(1)) {
            assertThat(again.settle(settlement)).isInstanceOf(Returned.class);
        }
        assertEndedOnce(List.of(call));
        assertThat(ledger().used(tokens)).isEqualTo(2);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }

    private static void awaitWaiting(int pid) throws Exception {
        long end = System.nanoTime() + 20_000_000_000L;
        while (superuser(
                        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and"
                                + " pid = "
                                + pid)
                == 0) {
            assertThat(System.nanoTime()).as("it waits for the row").isLessThan(end);
            Thread.sleep(5);
        }
    }

    private static long superuser(String sql) throws SQLException {
        try (Connection c = LEDGERS.database().connectAsSuperuser();
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Its slots were given back by time: taking them away again would take another call's. */
    @Test
    void resolve_afterItsHoldsWereSwept_takesNothingBackTwice() {
        List<UUID> lost = HeldCalls.calls(2);
        Batch batch = HeldCalls.batch(lost, HeldCalls.claim(tokens, slots), 1, ledger().epoch());
        try (BudgetLedger lane = ledger().lane(1)) {
            lane.admit(batch);
            ledger().execute(LATE);
            assertThat(ledger().sweepHolds()).isEqualTo(4);
            admit(3);

            assertThat(lane.resolve(batch)).isEqualTo(new Resolved(false));
        }

        assertThat(ledger().used(slots)).as("those of the calls that run").isEqualTo(3);
        assertThat(ledger().held(slots)).isEqualTo(3);
        assertThat(ledger().used(tokens)).as("spent in full, and held").isEqualTo(6 + 9);
    }

    @Test
    void resolve_whileTheLeaderSweeps_isOneOrTheOther() throws Exception {
        for (int round = 0; round < 40; round++) {
            long used = ledger().used(tokens);
            List<UUID> lost = HeldCalls.calls(5);
            try (BudgetLedger lane = ledger().lane(1)) {
                Batch batch =
                        HeldCalls.batch(
                                lost,
                                HeldCalls.claim(tokens, slots),
                                lane.lastSeq() + 1,
                                ledger().epoch());
                lane.admit(batch);
                ledger().execute(LATE);

                together(
                        () -> assertThat(lane.resolve(batch)).isInstanceOf(Resolved.class),
                        () -> ledger().sweepHolds());
            }
            assertThat(ledger().holds()).isZero();
            assertThat(ledger().used(slots)).isZero();
            long spent = ledger().used(tokens) - used;
            long swept =
                    ledger().ended().stream()
                            .filter(line -> lost.stream().anyMatch(c -> line.startsWith("" + c)))
                            .filter(line -> line.contains(" toke "))
                            .count();
            assertThat(spent).isEqualTo(swept * HeldCalls.TOKENS).isIn(0L, 15L);
        }
    }

    /** It holds locks while it waits for one, and admissions wait for those. */
    @Test
    void sweepHolds_lockIsHeldByAStranger_givesUpAndEndsNothing() throws Exception {
        admit(2);
        ledger().execute(LATE);
        try (Connection stranger = LEDGERS.database().connectAsSuperuser()) {
            execute(stranger, "set idle_in_transaction_session_timeout = '15s'");
            stranger.setAutoCommit(false);
            execute(stranger, shardOf(tokens));

            assertThatThrownBy(() -> ledger().sweepHolds())
                    .rootCause()
                    .hasMessageContaining("lock timeout");
            stranger.rollback();
        }

        assertThat(ledger().holds()).isEqualTo(4);
        assertThat(ledger().sweepHolds()).isEqualTo(4);
    }

    private static String shardOf(Counter counter) {
        return "select pg_advisory_xact_lock(1885695603, (hashtextextended('%s', 0) & 1023)::int)"
                .formatted(counter.key());
    }

    @Test
    void sweepHolds_incarnationIsOver_spendsUnitsAtOnceAndKeepsSlots() throws SQLException {
        Counter tokens = HeldCalls.tokens();
        Counter slots = HeldCalls.slots();
        HeldCalls.admit(LEDGERS.fixture(), 2, tokens, slots);
        assertThat(LEDGERS.fixture().sweepHolds()).as("it lives").isZero();

        LEDGERS.fixture()
                .execute(
                        "update penstock.replica set state = 'fenced' where incarnation = '"
                                + LEDGERS.fixture().incarnation
                                + "'");
        assertThat(LEDGERS.fixture().sweepHolds()).isEqualTo(2);
        assertThat(LEDGERS.fixture().used(tokens)).isEqualTo(6);
        assertThat(LEDGERS.fixture().held(tokens)).isZero();
        assertThat(LEDGERS.fixture().used(slots)).as("their calls may still run").isEqualTo(2);

        LEDGERS.fixture().execute("update penstock.hold set ends_by = now() - interval '1 second'");
        assertThat(LEDGERS.fixture().sweepHolds()).isEqualTo(2);
        assertThat(LEDGERS.fixture().used(slots)).isZero();
        assertThat(LEDGERS.fixture().holds()).isZero();
        assertThat(LEDGERS.fixture().ended())
                .hasSize(4)
                .filteredOn(line -> line.endsWith("toke 3 swept-in-full"))
                .hasSize(2);
        assertThat(LEDGERS.fixture().ended())
                .filteredOn(line -> line.endsWith("slot 0 slot-freed"))
                .hasSize(2);
    }

    @Test
    void sweepHolds_pastTheirTime_endWhoeverHasThem_fiveHundredARound() throws SQLException {
        Counter tokens = HeldCalls.tokens();
        Counter slots = HeldCalls.slots();
        HeldCalls.admit(LEDGERS.fixture(), 300, tokens, slots);
        LEDGERS.fixture().execute("update penstock.hold set ends_by = now() - interval '1 second'");

        assertThat(LEDGERS.fixture().sweepHolds()).isEqualTo(500);
        assertThat(LEDGERS.fixture().sweepHolds()).isEqualTo(100);
        assertThat(LEDGERS.fixture().sweepHolds()).isZero();
        assertThat(LEDGERS.fixture().used(tokens)).isEqualTo(900);
        assertThat(LEDGERS.fixture().held(tokens)).isZero();
        assertThat(LEDGERS.fixture().used(slots)).isZero();
    }
}

package io.penstock.cluster.admission;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static io.penstock.budget.Batches.decided;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What operators see of the ledger, and what housekeeping takes away. */
final class LedgerUpkeepIT {
    private static final Window.Fixed HOUR = new Window.Fixed(3_600_000_000L);

    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    private long sweep() {
        LEDGERS.fixture()
                .number(
                        "select count(*) from penstock.claim_duties_v1('test', '%s', array['sweep'])"
                                .formatted(LEDGERS.fixture().incarnation));
        return LEDGERS.fixture()
                .number(
                        ("select penstock.sweep_counters_v1('%s', (select term from penstock.duty"
                                        + " where duty = 'sweep'))")
                                .formatted(LEDGERS.fixture().incarnation));
    }

    private long nowIndex() {
        return HOUR.index(
                LEDGERS.fixture()
                        .number(
                                "select (extract(epoch from clock_timestamp()) *"
                                        + " 1000000)::bigint"));
    }

    @Test
    void sweep_windowsLongOver_areForgottenAndOthersKept() {
        Counter old = counter("old", 10, HOUR);
        Counter recent = counter("recent", 10, HOUR);
        LEDGERS.fixture().plant(old, nowIndex() - 26, 5);
        LEDGERS.fixture().plant(recent, nowIndex() - 23, 5);

        long gone = sweep();

        assertThat(gone).isEqualTo(1);
        assertThat(LEDGERS.fixture().used(old)).isZero();
        assertThat(LEDGERS.fixture().used(recent)).isEqualTo(5);
    }

    @Test
    void sweep_manyOldCounters_takesFiveHundredARound() {
        for (int i = 0; i < 600; i++) {
            LEDGERS.fixture().plant(counter("old" + i, 10, HOUR), nowIndex() - 26, 5);
        }

        assertThat(sweep()).isEqualTo(500);
        assertThat(sweep()).isEqualTo(100);
        assertThat(sweep()).isZero();
    }

    @Test
    void sweep_lanesOfForgottenIncarnations_areForgotten() {
        LEDGERS.fixture().lane(0).close();
        LEDGERS.fixture()
                .execute(
                        "insert into penstock.lane (incarnation, lane, fenced) values"
                                + " (gen_random_uuid(), 0, true)");

        assertThat(sweep()).isEqualTo(1);
        assertThat(LEDGERS.fixture().number("select count(*) from penstock.lane")).isEqualTo(1);
    }

    @Test
    void reset_ofAScope_emptiesItsCountersAndKeepsWhatIsHeld() {
        Counter tokens = HeldCalls.counter("toke", Unit.TOKENS, new Window.Sliding(60_000_000));
        Counter plain = HeldCalls.counter("toke", Unit.TOKENS, new Window.Lifetime());
        Window year = new Window.Rate(Window.MICROS_MAX, 100);
        Counter rate = HeldCalls.counter("toke", Unit.TOKENS, year);
        Counter other = HeldCalls.counter("slot", Unit.CONCURRENCY, new Window.Open());
        HeldCalls.admit(LEDGERS.fixture(), 2, tokens, other);
        HeldCalls.admit(LEDGERS.fixture(), 3, plain, other);
        List<UUID> calls = HeldCalls.admit(LEDGERS.fixture(), 4, rate, other);
        long epoch = LEDGERS.fixture().epoch();
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            Claim spent = claim(tokens, rate);
            long seq = lane.lastSeq() + 1;
            decided(lane.admit(new Batches().add(7, spent).build(seq, epoch)));
        }

        try (Connection c = LEDGERS.database().connectAsOperator()) {
            assertThat(BudgetReset.run(c, "toke", Map.of("tenant", "x"), "r", "me"))
                    .isEqualTo(epoch + 1);
            assertThat(LEDGERS.fixture().used(plain)).as("of no tenant").isEqualTo(9);
            assertThat(BudgetReset.run(c, "toke", Map.of(), "r", "me")).isEqualTo(epoch + 2);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }

        assertThat(LEDGERS.fixture().used(plain)).as("all of it is held").isEqualTo(9);
        assertThat(LEDGERS.fixture().used(tokens)).as("the seven are forgotten").isEqualTo(6);
        assertThat(LEDGERS.fixture().standing(tokens).remaining()).isEqualTo(2_000 - 6);
        assertThat(LEDGERS.fixture().standing(rate).remaining()).isEqualTo(100 - 12);
        assertThat(LEDGERS.fixture().used(other)).isEqualTo(9);
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            long seq = lane.lastSeq() + 1;
            lane.settle(HeldCalls.settled(seq, calls.getFirst(), 20, rate, other));
        }
        assertThat(LEDGERS.fixture().standing(rate).remaining())
                .as("one of them spent 17 more than it held")
                .isEqualTo(100 - 12 - 17);
        assertThat(LEDGERS.fixture().epoch()).isEqualTo(epoch + 2);
    }

    @Test
    void sweep_notTheLeader_isRefused() throws SQLException {
        try (Connection c = LEDGERS.database().connectAsGateway();
                PreparedStatement s =
                        c.prepareStatement("select penstock.sweep_counters_v1(?, 1)")) {
            s.setObject(1, LEDGERS.fixture().incarnation);
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(s::execute)
                    .withMessageContaining("is over");
        }
    }

    @Test
    void usage_everyDimension_isReadableAndCurrent() throws SQLException {
        Subject bob = new Subject("acme", "bob 3:x", "files", "read/ä", "session-1");
        Budget budget =
                new Budget(
                        "all-of-it",
                        Unit.CALLS,
                        7,
                        HOUR,
                        EnumSet.allOf(Dimension.class),
                        null,
                        null,
                        Mode.ENFORCE);
        Claim claim = new BudgetSet(List.of(budget)).claim(bob, Mode.SHADOW);
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            decided(lane.admit(new Batches().add(3, claim).build(1, LEDGERS.fixture().epoch())));
        }

        try (Connection c = LEDGERS.database().connectAsOperator()) {
            List<BudgetUsage> usage = BudgetUsage.read(c, "all-of-it", 10);

            assertThat(usage).hasSize(1);
            BudgetUsage one = usage.getFirst();
            assertThat(one.used()).isEqualTo(3);
            assertThat(one.limit()).isEqualTo(7);
            assertThat(one.shadow()).isTrue();
            assertThat(one.scope())
                    .containsEntry("tenant", "acme")
                    .containsEntry("agent", "bob 3:x")
                    .containsEntry("server", "files")
                    .containsEntry("tool", "read/ä")
                    .containsEntry("session", "session-1");
            assertThat(one.window()).isEqualTo("1h");
            assertThat(one.unit()).isEqualTo("calls");
            assertThat(BudgetUsage.read(c, null, 10)).hasSize(1);
            assertThat(BudgetUsage.read(c, "another", 10)).isEmpty();
        }
    }

    /** An upstream said so, and the time it takes to come back is beyond any calendar. */
    @Test
    void usage_rateOverdrawnForAges_isReadable() throws SQLException {
        Window year = new Window.Rate(Window.MICROS_MAX, 100);
        Counter rate = HeldCalls.counter("toke", Unit.TOKENS, year);
        UUID call = HeldCalls.admit(LEDGERS.fixture(), 1, rate, HeldCalls.slots()).getFirst();
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            lane.settle(
                    HeldCalls.settled(
                            lane.lastSeq() + 1, call, Budget.AMOUNT_MAX, rate, HeldCalls.slots()));
        }

        try (Connection c = LEDGERS.database().connectAsOperator()) {
            assertThat(BudgetUsage.read(c, "toke", 10))
                    .singleElement()
                    .satisfies(
                            usage -> {
                                assertThat(usage.used()).isEqualTo(100);
                                assertThat(usage.endsAt())
                                        .isAfter(Instant.parse("9999-01-01T00:00:00Z"));
                            });
        }
    }

    /** Rows come and go, and their room is used again. */
    @Test
    void sweep_keysThatComeAndGo_leaveATableOfTheSameSize() throws SQLException {
        long pages = 0;
        for (int round = 0; round < 8; round++) {
            LEDGERS.fixture()
                    .execute(
                            "insert into penstock.counter (key, kind, idx, used, lim, ends_us, at)"
                                + " select '1:bCf1000000t' || length(n::text) || ':' || n, 0, 0, 1,"
                                + " 1, 1, now() from generate_series("
                                    + (100_000 + round * 2_000)
                                    + ", "
                                    + (101_999 + round * 2_000)
                                    + ") n");
            int rounds = 0;
            while (sweep() > 0) {
                assertThat(++rounds).isLessThanOrEqualTo(4);
            }
            assertThat(LEDGERS.fixture().number("select count(*) from penstock.counter")).isZero();
            LEDGERS.fixture().execute("vacuum (truncate off) penstock.counter");
            long now =
                    LEDGERS.fixture().number("select pg_relation_size('penstock.counter') / 8192");
            pages = round == 0 ? now : pages;
            assertThat(now).as("pages after %d rounds", round).isLessThanOrEqualTo(pages + 8);
        }
    }

    @Test
    void usage_windowIsOver_showsNothingUsed() throws SQLException {
        LEDGERS.fixture().plant(counter("past", 10, HOUR), nowIndex() - 1, 5);

        try (Connection c = LEDGERS.database().connectAsGateway();
                PreparedStatement s = c.prepareStatement("select used from penstock.budget_usage");
                ResultSet row = s.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(1)).isZero();
        }
    }

    @Test
    void usage_keyThatCannotBeRead_hidesNoOther() {
        LEDGERS.fixture().plant(counter("good", 10, HOUR), nowIndex(), 5);
        LEDGERS.fixture()
                .execute(
                        "insert into penstock.counter (key, kind, idx, used, lim, at) values"
                                + " ('nonsense', 0, 1, 1, 1, now()), ('9:x', 0, 1, 1, 1, now())");

        assertThat(LEDGERS.fixture().number("select count(*) from penstock.budget_usage"))
                .isEqualTo(3);
    }

    /** Growing with the square of the groups would take it from 15 ms to seconds. */
    @Test
    void admit_fiveHundredDistinctGroups_isQuick() {
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 512; i++) {
            claims.add(claim(counter("own" + i, 1_000_000), counter("shared" + i % 7, 1_000)));
        }
        long best = Long.MAX_VALUE;
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            for (int round = 1; round <= 20; round++) {
                Batches batch = new Batches();
                claims.forEach(claim -> batch.add(1, claim));
                long began = System.nanoTime();
                decided(lane.admit(batch.build(round, LEDGERS.fixture().epoch())));
                best = Math.min(best, System.nanoTime() - began);
            }
        }

        assertThat(best / 1_000_000).as("milliseconds of the best round").isLessThan(100);
    }
}

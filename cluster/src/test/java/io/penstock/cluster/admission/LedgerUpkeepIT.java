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
import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators see of the ledger, and what housekeeping takes away. */
final class LedgerUpkeepIT {
    private static final Window.Fixed HOUR = new Window.Fixed(3_600_000_000L);

    @SuppressWarnings("NullAway.Init") // before all tests
    private static TestDatabase database;

    @SuppressWarnings("NullAway.Init") // before each test
    private PostgresFixture fixture;

    @BeforeAll
    static void makeDatabase() {
        database = TestDatabase.fresh();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    private UUID leader = new UUID(0, 0);

    @BeforeEach
    void openFixture() {
        fixture = new PostgresFixture(database);
        fixture.execute("delete from penstock.duty");
    }

    @AfterEach
    void closeFixture() {
        fixture.close();
    }

    private long sweep() {
        fixture.number(
                "select count(*) from penstock.claim_duties_v1('test', '%s', array['sweep'])"
                        .formatted(fixture.incarnation));
        return fixture.number(
                ("select penstock.sweep_counters_v1('%s', (select term from penstock.duty where"
                                + " duty = 'sweep'))")
                        .formatted(fixture.incarnation));
    }

    private long nowIndex() {
        return HOUR.index(
                fixture.number("select (extract(epoch from clock_timestamp()) * 1000000)::bigint"));
    }

    @Test
    void sweep_windowsLongOver_areForgottenAndOthersKept() {
        Counter old = counter("old", 10, HOUR);
        Counter recent = counter("recent", 10, HOUR);
        fixture.plant(old, nowIndex() - 26, 5);
        fixture.plant(recent, nowIndex() - 23, 5);

        long gone = sweep();

        assertThat(gone).isEqualTo(1);
        assertThat(fixture.used(old)).isZero();
        assertThat(fixture.used(recent)).isEqualTo(5);
    }

    @Test
    void sweep_manyOldCounters_takesFiveHundredARound() {
        for (int i = 0; i < 600; i++) {
            fixture.plant(counter("old" + i, 10, HOUR), nowIndex() - 26, 5);
        }

        assertThat(sweep()).isEqualTo(500);
        assertThat(sweep()).isEqualTo(100);
        assertThat(sweep()).isZero();
    }

    @Test
    void sweep_lanesOfForgottenIncarnations_areForgotten() {
        fixture.lane(0).close();
        fixture.execute(
                "insert into penstock.lane (incarnation, lane, fenced) values"
                        + " (gen_random_uuid(), 0, true)");

        assertThat(sweep()).isEqualTo(1);
        assertThat(fixture.number("select count(*) from penstock.lane")).isEqualTo(1);
    }

    private static Counter counterOf(String name, Unit unit, Window window) {
        return new Counter(
                "4:" + name + unit.name().charAt(0) + window.spec(),
                new Budget(name, unit, 2_000, window, Set.of(), null, null, Mode.ENFORCE),
                false);
    }

    /** So many calls that hold 3 tokens and a slot each. */
    private void hold(int calls, Counter tokens, Counter slots) {
        Claim claim =
                new Claim(
                        List.of(
                                new Charge(tokens, 3, Charge.Kind.METERED, null),
                                new Charge(slots, 1, Charge.Kind.SLOT, null)));
        try (BudgetLedger lane = fixture.lane(0)) {
            for (int left = calls; left > 0; left -= 512) {
                Batches batch = new Batches().add(Math.min(512, left), claim);
                decided(
                        lane.admit(
                                batch.build(lane.lastSeq() + 1 + calls - left, fixture.epoch())));
            }
        }
    }

    /** As another replica, which leads. */
    private int sweepHolds() throws SQLException {
        if (fixture.number("select count(*) from penstock.duty where duty = 'sweep'") == 0) {
            leader = Incarnations.register(database);
            fixture.number(
                    "select count(*) from penstock.claim_duties_v1('test', '%s', array['sweep'])"
                            .formatted(leader));
        }
        return (int)
                fixture.number(
                        ("select penstock.sweep_holds_v1('%s', (select term from penstock.duty"
                                        + " where duty = 'sweep'))")
                                .formatted(leader));
    }

    @Test
    void sweepHolds_incarnationIsOver_spendsUnitsAtOnceAndKeepsSlots() throws SQLException {
        Counter tokens = counterOf("toke", Unit.TOKENS, new Window.Lifetime());
        Counter slots = counterOf("slot", Unit.CONCURRENCY, new Window.Open());
        hold(2, tokens, slots);
        assertThat(sweepHolds()).as("it lives").isZero();

        fixture.execute(
                "update penstock.replica set state = 'fenced' where incarnation = '"
                        + fixture.incarnation
                        + "'");
        assertThat(sweepHolds()).isEqualTo(2);
        assertThat(fixture.used(tokens)).isEqualTo(6);
        assertThat(fixture.held(tokens)).isZero();
        assertThat(fixture.used(slots)).as("their calls may still run").isEqualTo(2);

        fixture.execute("update penstock.hold set ends_by = now() - interval '1 second'");
        assertThat(sweepHolds()).isEqualTo(2);
        assertThat(fixture.used(slots)).isZero();
        assertThat(fixture.holds()).isZero();
        assertThat(fixture.ended())
                .hasSize(4)
                .filteredOn(line -> line.endsWith("toke 3 swept-in-full"))
                .hasSize(2);
        assertThat(fixture.ended())
                .filteredOn(line -> line.endsWith("slot 0 slot-freed"))
                .hasSize(2);
    }

    @Test
    void sweepHolds_pastTheirTime_endWhoeverHasThem_fiveHundredARound() throws SQLException {
        Counter tokens = counterOf("toke", Unit.TOKENS, new Window.Lifetime());
        Counter slots = counterOf("slot", Unit.CONCURRENCY, new Window.Open());
        hold(300, tokens, slots);
        fixture.execute("update penstock.hold set ends_by = now() - interval '1 second'");

        assertThat(sweepHolds()).isEqualTo(500);
        assertThat(sweepHolds()).isEqualTo(100);
        assertThat(sweepHolds()).isZero();
        assertThat(fixture.used(tokens)).isEqualTo(900);
        assertThat(fixture.held(tokens)).isZero();
        assertThat(fixture.used(slots)).isZero();
    }

    @Test
    void reset_ofAScope_emptiesItsCountersAndKeepsWhatIsHeld() {
        Counter tokens = counterOf("toke", Unit.TOKENS, new Window.Sliding(60_000_000));
        Counter plain = counterOf("toke", Unit.TOKENS, new Window.Lifetime());
        Counter other = counterOf("slot", Unit.CONCURRENCY, new Window.Open());
        hold(2, tokens, other);
        hold(3, plain, other);
        long epoch = fixture.epoch();

        try (Connection c = database.connectAsOperator()) {
            assertThat(BudgetReset.run(c, "toke", Map.of("tenant", "x"), "r", "me"))
                    .isEqualTo(epoch + 1);
            assertThat(fixture.used(plain)).as("of no tenant").isEqualTo(9);
            assertThat(BudgetReset.run(c, "toke", Map.of(), "r", "me")).isEqualTo(epoch + 2);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }

        assertThat(fixture.used(plain)).as("all of it is held").isEqualTo(9);
        assertThat(fixture.used(tokens)).isZero();
        assertThat(fixture.used(other)).isEqualTo(5);
        assertThat(fixture.epoch()).isEqualTo(epoch + 2);
    }

    @Test
    void sweep_notTheLeader_isRefused() throws SQLException {
        try (Connection c = database.connectAsGateway();
                PreparedStatement s =
                        c.prepareStatement("select penstock.sweep_counters_v1(?, 1)")) {
            s.setObject(1, fixture.incarnation);
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
        try (BudgetLedger lane = fixture.lane(0)) {
            decided(lane.admit(new Batches().add(3, claim).build(1, fixture.epoch())));
        }

        try (Connection c = database.connectAsOperator()) {
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

    @Test
    void usage_windowIsOver_showsNothingUsed() throws SQLException {
        fixture.plant(counter("past", 10, HOUR), nowIndex() - 1, 5);

        try (Connection c = database.connectAsGateway();
                PreparedStatement s = c.prepareStatement("select used from penstock.budget_usage");
                ResultSet row = s.executeQuery()) {
            assertThat(row.next()).isTrue();
            assertThat(row.getLong(1)).isZero();
        }
    }

    @Test
    void usage_keyThatCannotBeRead_hidesNoOther() {
        fixture.plant(counter("good", 10, HOUR), nowIndex(), 5);
        fixture.execute(
                "insert into penstock.counter (key, kind, idx, used, lim, at) values"
                        + " ('nonsense', 0, 1, 1, 1, now()), ('9:x', 0, 1, 1, 1, now())");

        assertThat(fixture.number("select count(*) from penstock.budget_usage")).isEqualTo(3);
    }

    /** Growing with the square of the groups would take it from 15 ms to seconds. */
    @Test
    void admit_fiveHundredDistinctGroups_isQuick() {
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < 512; i++) {
            claims.add(claim(counter("own" + i, 1_000_000), counter("shared" + i % 7, 1_000)));
        }
        long best = Long.MAX_VALUE;
        try (BudgetLedger lane = fixture.lane(0)) {
            for (int round = 1; round <= 20; round++) {
                Batches batch = new Batches();
                claims.forEach(claim -> batch.add(1, claim));
                long began = System.nanoTime();
                decided(lane.admit(batch.build(round, fixture.epoch())));
                best = Math.min(best, System.nanoTime() - began);
            }
        }

        assertThat(best / 1_000_000).as("milliseconds of the best round").isLessThan(100);
    }
}

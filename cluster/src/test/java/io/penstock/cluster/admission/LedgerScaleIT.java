package io.penstock.cluster.admission;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static io.penstock.budget.Batches.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many replicas, many keys, many budgets on one call, extreme limits, and what tables become. */
final class LedgerScaleIT {
    private static final int REPLICAS = 50;

    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    private static PostgresFixture ledger() {
        return LEDGERS.fixture();
    }

    @Test
    void fiftyReplicas_oneCounter_admitExactlyTheLimit() throws Exception {
        Counter hot = counter("hot", 2_000);
        long epoch = ledger().epoch();
        List<UUID> replicas = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(Incarnations.register(LEDGERS.database()));
        }

        int admitted = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(REPLICAS)) {
            List<Callable<Integer>> tasks = new ArrayList<>();
            replicas.forEach(replica -> tasks.add(() -> spend(replica, hot, epoch)));
            for (Future<Integer> share : threads.invokeAll(tasks)) {
                admitted += share.get();
            }
        }

        assertThat(admitted).isEqualTo(2_000);
        assertThat(ledger().used(hot)).isEqualTo(2_000);
        assertThat(ledger().intents()).hasSize(2_000);
    }

    private static int spend(UUID replica, Counter hot, long epoch) {
        int admitted = 0;
        try (BudgetLedger lane = ledger().lane(replica, 0)) {
            for (int seq = 1; seq <= 20; seq++) {
                int calls = ThreadLocalRandom.current().nextInt(1, 10);
                Batches batch = new Batches().add(calls, claim(hot));
                admitted += decided(lane.admit(batch.build(seq, epoch))).admitted()[0];
            }
        }
        return admitted;
    }

    /** As many as the largest revision lets a call meet would be slow; fifty must not be. */
    @Test
    void fiftyBudgetsOnOneCall_areChargedAllOrNone() {
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            counters.add(counter("b" + i, 10 + i));
        }
        Claim all = claim(counters.toArray(Counter[]::new));
        try (BudgetLedger lane = ledger().lane(0)) {
            Batches first = new Batches().add(7, all);
            Batches second = new Batches().add(7, all);

            assertThat(decided(lane.admit(first.build(1, ledger().epoch()))).admitted())
                    .containsExactly(7);
            assertThat(decided(lane.admit(second.build(2, ledger().epoch()))).admitted())
                    .containsExactly(3);
        }
        assertThat(counters).allMatch(each -> ledger().used(each) == 10);
    }

    @Test
    void tenThousandKeys_eachIsCountedByItself() {
        try (BudgetLedger lane = ledger().lane(0)) {
            for (int seq = 1; seq <= 40; seq++) {
                Batches batch = new Batches();
                for (int i = 0; i < 500; i++) {
                    // Each key twice, in two batches of which the second is in another order.
                    int key = seq <= 20 ? (seq - 1) * 500 + i : (40 - seq) * 500 + 499 - i;
                    batch.add(1, claim(counter("k" + key, 2)));
                }
                assertThat(decided(lane.admit(batch.build(seq, ledger().epoch()))).admitted())
                        .containsOnly(1);
            }
        }
        assertThat(ledger().number("select count(*) from penstock.counter where used = 2"))
                .isEqualTo(10_000);
        assertThat(ledger().number("select sum(used) from penstock.counter")).isEqualTo(20_000);
    }

    @Test
    void extremeLimits_nothingAndTheLargest_areExact() {
        Counter nothing = counter("nothing", 0);
        Counter most = counter("most", Budget.LIMIT_MAX);
        ledger().plant(
                        most,
                        Batches.LONG instanceof Window.Fixed f ? f.index(now()) : 0,
                        Budget.LIMIT_MAX - 2);
        try (BudgetLedger lane = ledger().lane(0)) {
            Batches none = new Batches().add(3, claim(nothing));
            Batches few = new Batches().add(5, claim(most));

            assertThat(decided(lane.admit(none.build(1, ledger().epoch()))).admitted())
                    .containsExactly(0);
            assertThat(decided(lane.admit(few.build(2, ledger().epoch()))).admitted())
                    .containsExactly(2);
        }
        assertThat(ledger().used(most)).isEqualTo(Budget.LIMIT_MAX);
    }

    private static long now() {
        return ledger().number("select (extract(epoch from clock_timestamp()) * 1000000)::bigint");
    }

    /** Raised and lowered in mid-window: what was used stays used. */
    @Test
    void limitChangedInMidWindow_keepsWhatWasUsed() {
        try (BudgetLedger lane = ledger().lane(0)) {
            assertThat(ask(lane, 1, counter("b", 10), 8)).isEqualTo(8);
            assertThat(ask(lane, 2, counter("b", 5), 1)).isZero();
            assertThat(ask(lane, 3, counter("b", 12), 9)).isEqualTo(4);
            assertThat(ask(lane, 4, counter("b", 100), 100)).isEqualTo(88);
        }
        assertThat(ledger().used(counter("b", 100))).isEqualTo(100);
    }

    /** A counter is what it counts and for how long: another window or scope is another one. */
    @Test
    void windowOrScopeChanged_startsOverAndLeavesTheOldAlone() {
        Budget month = budget(10, new Window.Fixed(30 * 86_400_000_000L), Set.of());
        Budget two = budget(10, new Window.Fixed(60 * 86_400_000_000L), Set.of());
        Budget agents = budget(10, new Window.Fixed(60 * 86_400_000_000L), Set.of(Dimension.AGENT));
        Budget raised = budget(12, new Window.Fixed(30 * 86_400_000_000L), Set.of());
        try (BudgetLedger lane = ledger().lane(0)) {
            assertThat(ask(lane, 1, of(month), 8)).isEqualTo(8);
            assertThat(ask(lane, 2, of(two), 9)).isEqualTo(9);
            assertThat(ask(lane, 3, of(agents), 10)).isEqualTo(10);
            assertThat(ask(lane, 4, of(agents), 1)).isZero();
            assertThat(ask(lane, 5, of(raised), 9)).as("only its limit changed").isEqualTo(4);
        }
        assertThat(ledger().used(of(month))).isEqualTo(12);
        assertThat(ledger().used(of(two))).isEqualTo(9);
        assertThat(ledger().used(of(agents))).isEqualTo(10);
    }

    private static Budget budget(long limit, Window window, Set<Dimension> per) {
        return new Budget("b", Unit.CALLS, limit, window, per, null, null, Mode.ENFORCE);
    }

    private static Counter of(Budget budget) {
        Claim claim = new BudgetSet(List.of(budget)).claim(Batches.subject("bob"), Mode.ENFORCE);
        return claim.charges().getFirst().counter();
    }

    @Test
    void rateChangedInMidFlow_neverGivesMoreThanTheNewBurst() {
        Window rate = new Window.Rate(60_000_000, 10);
        try (BudgetLedger lane = ledger().lane(0)) {
            assertThat(ask(lane, 1, counter("r", 10, rate), 50)).isEqualTo(10);
            assertThat(ask(lane, 2, counter("r", 1_000, rate), 50)).isZero();
            assertThat(ask(lane, 3, counter("r", 1_000, new Window.Rate(60_000_000, 30)), 50))
                    .isBetween(0, 20);
        }
    }

    private static int ask(BudgetLedger lane, long seq, Counter counter, int calls) {
        Batches batch = new Batches().add(calls, claim(counter));
        return decided(lane.admit(batch.build(seq, ledger().epoch()))).admitted()[0];
    }

    /** An update that stays in its page costs no index entry, and is cleaned up in passing. */
    @Test
    void updates_ofCountersAndLanes_stayInTheirPages() throws Exception {
        Claim three =
                claim(counter("a", 1_000_000), counter("b", 1_000_000), counter("c", 1_000_000));
        long epoch = ledger().epoch();
        long before = pages();
        Updates start = updates();
        try (BudgetLedger lane = ledger().lane(0)) {
            for (int seq = 1; seq <= 3_000; seq++) {
                decided(lane.admit(new Batches().add(2, three).build(seq, epoch)));
            }
        }

        Updates done = awaitUpdates(start, 3 * 2_900 + 2 * 2_900);
        assertThat((done.inPage - start.inPage) / (double) (done.all - start.all))
                .as("share of updates that stayed in their page")
                .isGreaterThan(0.9);
        assertThat(pages() - before).as("pages that were added for three rows").isLessThan(400);
    }

    private record Updates(long all, long inPage) {}

    private static Updates awaitUpdates(Updates start, long least) throws Exception {
        long end = System.nanoTime() + 20_000_000_000L;
        Updates now = updates();
        while (now.all - start.all < least) {
            assertThat(System.nanoTime()).as("%s reached the statistics", now).isLessThan(end);
            Thread.sleep(100);
            now = updates();
        }
        return now;
    }

    private static Updates updates() throws SQLException {
        try (Connection c = LEDGERS.database().connectAsSuperuser();
                PreparedStatement s =
                        c.prepareStatement(
                                "select sum(n_tup_upd), sum(n_tup_hot_upd) from pg_stat_user_tables"
                                        + " where schemaname = 'penstock' and relname in"
                                        + " ('counter', 'lane')");
                ResultSet row = s.executeQuery()) {
            row.next();
            return new Updates(row.getLong(1), row.getLong(2));
        }
    }

    private static long pages() {
        return ledger().number(
                        "select (pg_relation_size('penstock.counter')"
                                + " + pg_relation_size('penstock.lane')) / 8192");
    }
}

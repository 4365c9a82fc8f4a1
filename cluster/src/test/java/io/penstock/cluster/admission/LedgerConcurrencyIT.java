package io.penstock.cluster.admission;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static io.penstock.budget.Batches.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batch;
import io.penstock.budget.Batches;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetLedger.Answer;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Late;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Counter;
import io.penstock.budget.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many connections on the same counters at once. */
final class LedgerConcurrencyIT {
    private static final int WORKERS = 6;
    private static final Window.Fixed SECOND = new Window.Fixed(1_000_000);

    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    /** One worker's share of a run. */
    private interface Work<T> {
        T run(int worker) throws Exception;
    }

    private static <T> List<T> together(Work<T> work) throws Exception {
        CyclicBarrier start = new CyclicBarrier(WORKERS);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<T>> tasks = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                int worker = i;
                tasks.add(
                        () -> {
                            start.await();
                            return work.run(worker);
                        });
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : threads.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        }
    }

    @Test
    void admit_manyLanesOneCounter_admitsExactlyTheLimit() throws Exception {
        Counter counter = counter("hot", 3_000);
        long epoch = LEDGERS.fixture().epoch();

        List<Integer> admitted =
                together(
                        worker -> {
                            int sum = 0;
                            try (BudgetLedger lane = LEDGERS.fixture().lane(worker)) {
                                for (int seq = 1; seq <= 150; seq++) {
                                    int calls = ThreadLocalRandom.current().nextInt(1, 15);
                                    Batches batch = new Batches().add(calls, claim(counter));
                                    sum +=
                                            decided(lane.admit(batch.build(seq, epoch)))
                                                    .admitted()[0];
                                }
                            }
                            return sum;
                        });

        assertThat(admitted.stream().mapToInt(i -> i).sum()).isEqualTo(3_000);
        assertThat(LEDGERS.fixture().used(counter)).isEqualTo(3_000);
        assertThat(LEDGERS.fixture().intents()).hasSize(3_000);
    }

    /**
     * Proves that the test above can fail: the same logic in one statement, under the same lock,
     * reads by a snapshot that is older than the lock.
     */
    @Test
    void oneStatementTwin_manyConnectionsOneCounter_admitsTooMuch() throws Exception {
        LEDGERS.fixture().execute("drop table if exists public.twin");
        LEDGERS.fixture()
                .execute("create table public.twin (key text primary key, used bigint not null)");

        boolean seen = false;
        for (int attempt = 0; attempt < 30 && !seen; attempt++) {
            LEDGERS.fixture().execute("truncate public.twin");
            LEDGERS.fixture().execute("insert into public.twin values ('hot', 0)");
            long admitted = together(_ -> twin()).stream().mapToLong(n -> n).sum();
            seen = admitted > 300;
        }

        assertThat(seen).as("the twin admitted more than its limit").isTrue();
    }

    private static long twin() throws SQLException {
        String sql =
                """
                with l as materialized (select pg_advisory_xact_lock(1, 1)),
                     r as materialized (
                         select t.used from l cross join lateral (
                             select used from public.twin where key = 'hot') t),
                     n as materialized (select greatest(0, least(3, 300 - used)) as n from r)
                update public.twin t set used = t.used + n.n from n where t.key = 'hot'
                returning n.n
                """;
        long admitted = 0;
        try (Connection c = LEDGERS.database().connectAsOwner();
                PreparedStatement s = c.prepareStatement(sql)) {
            for (int i = 0; i < 60; i++) {
                try (ResultSet row = s.executeQuery()) {
                    admitted += row.next() ? row.getLong(1) : 0;
                }
            }
        }
        return admitted;
    }

    @Test
    void admit_shortWindowsUnderOverload_admitsTheLimitInEveryWholeWindow() throws Exception {
        Counter counter = counter("per-second", 100, SECOND);
        long epoch = LEDGERS.fixture().epoch();
        LEDGERS.fixture().awaitNewWindow(SECOND);
        long end = System.nanoTime() + 3_300_000_000L;

        List<Map<Long, Long>> perWindow =
                together(
                        worker -> {
                            Map<Long, Long> admitted = new TreeMap<>();
                            try (BudgetLedger lane = LEDGERS.fixture().lane(worker)) {
                                for (int seq = 1; System.nanoTime() < end; seq++) {
                                    Batches batch = new Batches().add(3, claim(counter));
                                    Decided decided = decided(lane.admit(batch.build(seq, epoch)));
                                    Level level = decided.levels().getFirst();
                                    admitted.merge(level.index(), level.charged(), Long::sum);
                                }
                            }
                            return admitted;
                        });

        TreeMap<Long, Long> sums = new TreeMap<>();
        perWindow.forEach(one -> one.forEach((index, n) -> sums.merge(index, n, Long::sum)));
        assertThat(sums).hasSizeGreaterThanOrEqualTo(3);
        sums.pollLastEntry();
        assertThat(sums.values()).allMatch(n -> n == 100);
    }

    /** A deadlock would be reported as late after a second. */
    @Test
    void admit_randomOverlappingBatches_neverDeadlocks() throws Exception {
        List<Counter> counters = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            counters.add(counter("c" + i, 1_000_000));
        }
        long epoch = LEDGERS.fixture().epoch();
        long end = System.nanoTime() + 2_000_000_000L;

        List<Integer> decided =
                together(
                        worker -> {
                            ThreadLocalRandom random = ThreadLocalRandom.current();
                            int count = 0;
                            try (BudgetLedger lane = LEDGERS.fixture().lane(worker)) {
                                for (int seq = 1; System.nanoTime() < end; seq++, count++) {
                                    Batches batch = new Batches();
                                    for (int g = 0; g < 12; g++) {
                                        batch.add(1, claim(any(counters), any(counters)));
                                    }
                                    Answer answer = lane.admit(batch.build(seq, epoch));
                                    assertThat(answer).isInstanceOf(Decided.class);
                                    if (random.nextInt(5) == 0) {
                                        assertThat(lane.resolve(batch.build(seq, epoch)))
                                                .isNotNull();
                                    }
                                }
                            }
                            return count;
                        });

        assertThat(decided).allMatch(n -> n > 0);
    }

    private static Counter any(List<Counter> counters) {
        return counters.get(ThreadLocalRandom.current().nextInt(counters.size()));
    }

    @Test
    void admit_lockHeldTooLong_isLateAndChargesNothing() throws Exception {
        Counter counter = counter("b", 10);
        try (Connection holder = LEDGERS.database().connectAsOwner();
                BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            holder.setAutoCommit(false);
            lockShard(holder, counter);

            Answer answer =
                    lane.admit(
                            withWait(new Batches().add(2, claim(counter)).build(1, epoch()), 50));

            assertThat(answer).isInstanceOf(Late.class);
            holder.rollback();
            assertThat(LEDGERS.fixture().used(counter)).isZero();
            assertThat(LEDGERS.fixture().intents()).isEmpty();
            assertThat(
                            decided(
                                            lane.admit(
                                                    new Batches()
                                                            .add(2, claim(counter))
                                                            .build(2, epoch())))
                                    .admitted())
                    .containsExactly(2);
        }
    }

    /** Each lock came in time, all together did not: lock_timeout alone would not notice. */
    @Test
    void admit_manyShortLocks_isLateAndChargesNothing() throws Exception {
        Counter[] counters =
                inShardOrder(counter("one", 10), counter("two", 10), counter("three", 10));
        List<Connection> holders = new ArrayList<>();
        try (BudgetLedger lane = LEDGERS.fixture().lane(0);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            for (Counter counter : counters) {
                Connection holder = LEDGERS.database().connectAsOwner();
                holder.setAutoCommit(false);
                lockShard(holder, counter);
                holders.add(holder);
            }
            Future<Answer> answer =
                    threads.submit(
                            () ->
                                    lane.admit(
                                            withWait(
                                                    new Batches()
                                                            .add(1, claim(counters))
                                                            .build(1, epoch()),
                                                    150)));
            for (Connection holder : holders) {
                Thread.sleep(90);
                holder.rollback();
            }

            assertThat(answer.get()).isInstanceOf(Late.class);
        } finally {
            for (Connection holder : holders) {
                holder.close();
            }
        }
        for (Counter counter : counters) {
            assertThat(LEDGERS.fixture().used(counter)).isZero();
        }
    }

    @Test
    void fence_batchUnderWay_waitsForIt() throws Exception {
        Counter counter = counter("b", 10);
        try (Connection holder = LEDGERS.database().connectAsOwner();
                BudgetLedger lane = LEDGERS.fixture().lane(0);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            holder.setAutoCommit(false);
            lockShard(holder, counter);
            Future<Answer> answer =
                    threads.submit(
                            () ->
                                    lane.admit(
                                            new Batches()
                                                    .add(1, claim(counter))
                                                    .build(1, epoch())));
            awaitWaiters(1);
            Future<?> fence = threads.submit(LEDGERS.fixture()::fence);
            awaitWaiters(2);
            assertThat(fence.isDone()).isFalse();
            holder.rollback();

            assertThat(answer.get()).isInstanceOf(Decided.class);
            fence.get();
            assertThat(lane.admit(new Batches().add(1, claim(counter)).build(2, epoch())))
                    .isInstanceOf(BudgetLedger.Superseded.class);
        }
    }

    private static void awaitWaiters(int count) throws Exception {
        String sql =
                """
                select count(*) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock'
                """;
        long end = System.nanoTime() + 4_000_000_000L;
        try (Connection c = LEDGERS.database().connectAsSuperuser();
                PreparedStatement s = c.prepareStatement(sql)) {
            while (true) {
                try (ResultSet row = s.executeQuery()) {
                    row.next();
                    if (row.getInt(1) >= count) {
                        return;
                    }
                }
                if (System.nanoTime() > end) {
                    throw new AssertionError("nobody waits");
                }
                Thread.sleep(5);
            }
        }
    }

    private static void lockShard(Connection holder, Counter counter) throws SQLException {
        try (PreparedStatement s =
                holder.prepareStatement(
                        "select pg_advisory_xact_lock(1885695603, (hashtextextended(?, 0) &"
                                + " 1023)::int)")) {
            s.setString(1, counter.key());
            s.execute();
        }
    }

    private Counter[] inShardOrder(Counter... counters) throws SQLException {
        TreeMap<Long, Counter> sorted = new TreeMap<>();
        try (Connection c = LEDGERS.database().connectAsOwner();
                Statement s = c.createStatement()) {
            for (Counter counter : counters) {
                try (ResultSet row =
                        s.executeQuery(
                                "select hashtextextended('" + counter.key() + "', 0) & 1023")) {
                    row.next();
                    sorted.put(row.getLong(1), counter);
                }
            }
        }
        assertThat(sorted).as("distinct shards").hasSize(counters.length);
        return sorted.values().toArray(Counter[]::new);
    }

    private static Batch withWait(Batch batch, int millis) {
        return new Batch(
                batch.seq(),
                batch.epoch(),
                millis,
                batch.demands(),
                batch.groups(),
                batch.places(),
                batch.intents(),
                batch.limitMillis());
    }

    private long epoch() {
        return LEDGERS.fixture().epoch();
    }
}

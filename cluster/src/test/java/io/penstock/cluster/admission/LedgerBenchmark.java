package io.penstock.cluster.admission;

import com.sun.management.OperatingSystemMXBean;
import io.penstock.budget.Budget;
import io.penstock.budget.Claim;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * How many admissions one process gets out of one Postgres, each one caller's own blocking call
 * with its own answer. Closed loop: as many callers as given, each asks again as soon as it is
 * answered.
 *
 * <p>{@code hot}: one counter, decisions alone, without intents. {@code full}: three budgets (one
 * shared by all, one the tenant's, one the agent's) and a durable intent of about 300 bytes. {@code
 * refused}: the same, with nothing left of the shared one. {@code rate=N} offers calls of {@code
 * full} at an even rate instead, each latency from the time at which it was meant to begin.
 *
 * <p>Usage: {@code LedgerBenchmark hot|full|refused [key=value ...]} with {@code callers}, {@code
 * agents}, {@code seconds}, {@code warmup}, {@code runs}, {@code lanes}, {@code replicas} (sets of
 * lanes, each an incarnation of its own), {@code rate}, {@code commit-delay} (microseconds), {@code
 * fill} (MB of WAL to recycle, written before), {@code commit} (of the tree, for the result).
 * Prints JSON. Afterwards the counters and the journal are compared with what callers were told.
 */
final class LedgerBenchmark {
    private static final String SENT =
            """
            select count(*) filter (where kind = 'intent')
                   - count(*) filter (where kind = 'outcome') from penstock.journal
            """;
    private static final String TOOL =
            "read_the_quarterly_report_of_one_customer_by_its_number_and_year"
                    + "_with_all_lines_and_their_currency_as_the_auditors_asked_for_it";

    private final Map<String, String> options = new TreeMap<>();
    private final String mode;
    private final boolean full;
    private final List<Tally> tallies = new ArrayList<>();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batched = new LongAdder();
    private final LongAdder roundNanos = new LongAdder();
    private final LongAdder lockMicros = new LongAdder();
    private volatile boolean recording;
    private volatile boolean over;

    private LedgerBenchmark(String[] args) {
        mode = args[0];
        if (!Set.of("hot", "full", "refused").contains(mode)) {
            throw new IllegalArgumentException("hot, full or refused, not " + mode);
        }
        full = !mode.equals("hot");
        for (String arg : Arrays.asList(args).subList(1, args.length)) {
            String[] pair = arg.split("=", 2);
            options.put(pair[0], pair[1]);
        }
    }

    public static void main(String[] args) throws Exception {
        new LedgerBenchmark(args).run();
        System.exit(0);
    }

    private int option(String name, int standard) {
        return Integer.parseInt(options.getOrDefault(name, String.valueOf(standard)));
    }

    private void run() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            prepare(database);
            FixedControl control = new FixedControl(epoch(database), budgets());
            List<Lanes> replicas = new ArrayList<>();
            for (int i = 0; i < option("replicas", 1); i++) {
                replicas.add(replica(database, control));
            }
            replicas.forEach(Lanes::start);
            try {
                measure(replicas, control.view().current(), database);
            } finally {
                replicas.forEach(Lanes::close);
            }
        }
    }

    private Lanes replica(TestDatabase database, FixedControl control) throws SQLException {
        UUID incarnation = Incarnations.register(database);
        Connector connector = new Connector(database.gateway());
        LaneOpener postgres =
                new PostgresLaneOpener(() -> connector.open(Purpose.LANE), c -> {}, incarnation);
        LaneOpener opener = full ? postgres : lane -> new IntentlessLedger(postgres.open(lane));
        LanesConfig config =
                new LanesConfig(LanesConfig.DEFAULT.deadline(), 1_000_000, option("lanes", 4));
        return new Lanes(config, opener, control, listener(), () -> {}, System::nanoTime);
    }

    private void measure(List<Lanes> replicas, Snapshot state, TestDatabase database)
            throws Exception {
        int callers = option("callers", full ? 256 : 1024);
        int rate = option("rate", 0);
        for (int i = 0; i < (rate > 0 ? 1 : callers); i++) {
            tallies.add(new Tally());
        }
        for (int second = 0; second < option("warmup", 10) && rate == 0; second++) {
            List<Thread> threads = start(replicas, state);
            Thread.sleep(1_000);
            end(threads);
        }
        List<Thread> threads =
                rate > 0
                        ? List.of(Thread.ofPlatform().start(() -> evenly(replicas, state, rate)))
                        : start(replicas, state);
        Thread.sleep(rate > 0 ? option("warmup", 10) * 1_000L : 1_000);
        List<String> runs = new ArrayList<>();
        for (int run = 0; run < option("runs", 3); run++) {
            runs.add(oneRun(option("seconds", 8)));
        }
        end(threads);
        replicas.forEach(Lanes::close);
        print(callers, runs, database);
    }

    /**
     * Callers that began before their code was compiled would be slow for as long as they live,
     * because the interpreted frames under them are moved one by one at each wake-up; so the
     * warm-up starts them anew every second.
     */
    private List<Thread> start(List<Lanes> replicas, Snapshot state) {
        over = false;
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < tallies.size(); i++) {
            Lanes lanes = replicas.get(i % replicas.size());
            Subject subject = subject(i);
            Tally tally = tallies.get(i);
            threads.add(Thread.ofVirtual().start(() -> calls(lanes, state, subject, tally)));
        }
        return threads;
    }

    private void end(List<Thread> threads) throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private String oneRun(int seconds) throws InterruptedException {
        tallies.forEach(Tally::clear);
        batches.reset();
        batched.reset();
        roundNanos.reset();
        lockMicros.reset();
        long began = System.nanoTime();
        long cpuBefore = cpuNanos();
        recording = true;
        Thread.sleep(seconds * 1_000L);
        recording = false;
        double took = (System.nanoTime() - began) / 1e9;
        double cpuMicros = (cpuNanos() - cpuBefore) / 1e3;
        long[] all = Tally.sorted(tallies, t -> t.latencies);
        long[] late = Tally.sorted(tallies, t -> t.lateness);
        long admitted = tallies.stream().mapToLong(Tally::admitted).sum();
        long other = tallies.stream().mapToLong(Tally::other).sum();
        return """
        {"admissionsPerSecond": %d, "refusalsPerSecond": %d, "callsPerBatch": %.1f, \
        "batchesPerSecond": %d, "roundMicros": %d, "lockWaitMicros": %d, \
        "p50Micros": %d, "p99Micros": %d, "begunLateP50Micros": %d, "begunLateP99Micros": %d, \
        "cpuMicrosPerCall": %.2f}\
        """
                .formatted(
                        Math.round(admitted / took),
                        Math.round(other / took),
                        (double) batched.sum() / Math.max(1, batches.sum()),
                        Math.round(batches.sum() / took),
                        roundNanos.sum() / 1_000 / Math.max(1, batches.sum()),
                        lockMicros.sum() / Math.max(1, batches.sum()),
                        micros(all, 50),
                        micros(all, 99),
                        micros(late, 50),
                        micros(late, 99),
                        cpuMicros / Math.max(1, admitted + other));
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long micros(long[] sorted, int percent) {
        return sorted.length == 0 ? -1 : sorted[sorted.length * percent / 100] / 1_000;
    }

    /** Takes the time of one call in eight. */
    private void calls(Lanes lanes, Snapshot state, Subject subject, Tally tally) {
        for (int i = 0; !over; i++) {
            long began = System.nanoTime();
            boolean yes = admitted(lanes, state, subject, began);
            tally.count(yes, recording);
            if (recording && i % 8 == 0) {
                tally.latencies.add(System.nanoTime() - began);
            }
        }
    }

    private Subject subject(int number) {
        int agent = number % option("agents", 16);
        return new Subject(
                "tenant-" + agent % 4, "agent-of-the-benchmark-" + agent, "s", TOOL, null);
    }

    private static boolean admitted(Lanes lanes, Snapshot state, Subject subject, long nowNanos) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Claim claim = state.rules().budgets().claim(subject, Mode.ENFORCE);
        UUID call = new UUID(random.nextLong(), random.nextLong());
        return lanes.admit(
                        new AdmissionRequest(
                                call, subject, claim, "tools/call", state, 60_000, nowNanos))
                instanceof Verdict.Admitted;
    }

    /** Open loop: one thread a call, at most 4,096 under way. */
    private void evenly(List<Lanes> replicas, Snapshot state, int rate) {
        wakePunctually();
        Tally tally = tallies.getFirst();
        Semaphore free = new Semaphore(4_096);
        long gap = 1_000_000_000L / rate;
        long start = System.nanoTime();
        for (int i = 0; !over; i++) {
            long intended = start + i * gap;
            for (long left = intended - System.nanoTime();
                    left > 0;
                    left = intended - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            free.acquireUninterruptibly();
            Subject subject = subject(i);
            Lanes lanes = replicas.get(i % replicas.size());
            Thread.ofVirtual()
                    .start(
                            () -> {
                                once(lanes, state, subject, intended, tally);
                                free.release();
                            });
        }
        free.acquireUninterruptibly(4_096);
    }

    private void once(Lanes lanes, Snapshot state, Subject subject, long intended, Tally tally) {
        long began = System.nanoTime();
        boolean yes = admitted(lanes, state, subject, began);
        long ended = System.nanoTime();
        synchronized (tally) {
            tally.count(yes, recording);
            if (recording) {
                tally.latencies.add(ended - intended);
                tally.lateness.add(began - intended);
            }
        }
    }

    /** Linux lets a thread's timers be 50 us late, which is the driver's lateness, not a call's. */
    private static void wakePunctually() {
        try {
            Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc", thread.toString(), "timerslack_ns"), "1000");
        } catch (IOException e) {
            System.err.println("the driver may begin calls 50 us late: " + e);
        }
    }

    private AdmissionListener listener() {
        return new AdmissionListener() {
            @Override
            public void batch(int lane, int calls, long nanos, long lockWaitMicros) {
                if (recording) {
                    batches.increment();
                    batched.add(calls);
                    roundNanos.add(nanos);
                    lockMicros.add(lockWaitMicros);
                }
            }
        };
    }

    private List<Budget> budgets() {
        List<Budget> budgets = new ArrayList<>();
        budgets.add(budget("shared", Set.of(), mode.equals("refused") ? 1 : Budget.LIMIT_MAX));
        if (full) {
            budgets.add(budget("tenant", Set.of(Dimension.TENANT), Budget.LIMIT_MAX));
            budgets.add(
                    budget("agent", Set.of(Dimension.TENANT, Dimension.AGENT), Budget.LIMIT_MAX));
        }
        return budgets;
    }

    private static Budget budget(String name, Set<Dimension> per, long limit) {
        return new Budget(
                name,
                Unit.CALLS,
                limit,
                new Window.Fixed(86_400_000_000L),
                per,
                null,
                null,
                Mode.ENFORCE);
    }

    private void prepare(TestDatabase database) throws SQLException {
        try (Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement()) {
            s.execute("alter system set commit_delay = " + option("commit-delay", 0));
            s.execute("alter system set commit_siblings = 0");
            s.execute("alter system set min_wal_size = '2GB'");
            s.execute("select pg_reload_conf()");
            // A server that has run for a while writes into segments of before; a new one makes
            // and flushes 16 MB of zeros for each, which stops everybody meanwhile.
            s.execute(
                    "select count(pg_logical_emit_message(false, 'fill', repeat('x', 1048576)))"
                            + " from generate_series(1, %d)".formatted(option("fill", 1_500)));
            s.execute("checkpoint");
            s.execute("checkpoint");
        }
    }

    private static long epoch(TestDatabase database) throws SQLException {
        return number(database, "select epoch from penstock.control");
    }

    private void print(int callers, List<String> runs, TestDatabase database) throws SQLException {
        long told = tallies.stream().mapToLong(t -> t.told).sum();
        long counted =
                number(database, "select used from penstock.counter where key like '%:shared%'");
        long journaled = full ? number(database, SENT) : told;
        long bytes =
                full
                        ? number(
                                database,
                                "select avg(pg_column_size(j)) from (select * from"
                                        + " penstock.journal where kind = 'intent' limit 1000) j")
                        : 0;
        System.out.printf(
                """
                {"benchmark": "ledger-%s", "commit": "%s", "callers": %d, "agents": %d, "lanes": %d, "rate": %d,
                 "intentBytes": %d, "toldAdmitted": %d, "counted": %d, "journaled": %d, "exact": %b,
                 "java": "%s", "processors": %d, "maxHeapMiB": %d,
                 "postgres": {%s},
                 "runs": [
                %s]}
                """,
                mode,
                options.getOrDefault("commit", "unknown"),
                callers,
                option("agents", 16),
                option("lanes", 4) * option("replicas", 1),
                option("rate", 0),
                bytes,
                told,
                counted,
                journaled,
                told == counted && told == journaled,
                System.getProperty("java.vm.version"),
                Runtime.getRuntime().availableProcessors(),
                Runtime.getRuntime().maxMemory() >> 20,
                settings(database),
                String.join(",\n", runs));
    }

    private static String settings(TestDatabase database) throws SQLException {
        StringBuilder json = new StringBuilder();
        try (Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement();
                ResultSet rows =
                        s.executeQuery(
                                "select name, current_setting(name) from pg_settings where name in"
                                        + " ('server_version', 'synchronous_commit', 'fsync',"
                                        + " 'shared_buffers', 'wal_level', 'commit_delay',"
                                        + " 'full_page_writes', 'min_wal_size') order by 1")) {
            while (rows.next()) {
                json.append(json.isEmpty() ? "" : ", ");
                json.append('"').append(rows.getString(1)).append("\": \"");
                json.append(rows.getString(2)).append('"');
            }
        }
        return json.toString();
    }

    private static long number(TestDatabase database, String sql) throws SQLException {
        try (Connection c = database.connectAsSuperuser();
                PreparedStatement s = c.prepareStatement(sql);
                ResultSet row = s.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** What one caller was told, so that measuring needs no shared memory. */
    private static final class Tally {
        private final Nanos latencies = new Nanos();
        private final Nanos lateness = new Nanos();
        private volatile long told;
        private volatile long admitted;
        private volatile long other;

        /** One thread's, or under this object's monitor. */
        @SuppressWarnings("NonAtomicVolatileUpdate")
        void count(boolean yes, boolean recording) {
            told += yes ? 1 : 0;
            if (recording) {
                admitted += yes ? 1 : 0;
                other += yes ? 0 : 1;
            }
        }

        long admitted() {
            return admitted;
        }

        long other() {
            return other;
        }

        void clear() {
            admitted = 0;
            other = 0;
            latencies.clear();
            lateness.clear();
        }

        static long[] sorted(List<Tally> tallies, Function<Tally, Nanos> of) {
            long[] all =
                    tallies.stream()
                            .flatMapToLong(t -> Arrays.stream(of.apply(t).copy()))
                            .toArray();
            Arrays.sort(all);
            return all;
        }
    }

    /** Times, at most 65,536. */
    private static final class Nanos {
        private long[] nanos = new long[1 << 8];
        private int count;

        synchronized void add(long value) {
            if (count < 1 << 16) {
                if (count == nanos.length) {
                    nanos = Arrays.copyOf(nanos, count * 2);
                }
                nanos[count++] = value;
            }
        }

        synchronized void clear() {
            count = 0;
        }

        synchronized long[] copy() {
            return Arrays.copyOf(nanos, count);
        }
    }
}

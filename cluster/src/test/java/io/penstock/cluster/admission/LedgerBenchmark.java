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
import java.lang.management.ManagementFactory;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

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
 * lanes, each an incarnation of its own), {@code rate}, {@code commit-delay} (microseconds). Prints
 * JSON. Afterwards the counters and the journal are compared with what callers were told.
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
    private final LongAdder admitted = new LongAdder();
    private final LongAdder other = new LongAdder();
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
        List<Thread> threads = new ArrayList<>();
        List<Latencies> latencies = new ArrayList<>();
        AtomicLong total = new AtomicLong();
        int rate = option("rate", 0);
        if (rate > 0) {
            latencies.add(new Latencies());
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> evenly(replicas, state, rate, latencies.get(0), total)));
        }
        for (int i = 0; i < callers && rate == 0; i++) {
            int number = i;
            Lanes lanes = replicas.get(i % replicas.size());
            Latencies own = new Latencies();
            latencies.add(own);
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> total.addAndGet(calls(lanes, state, number, own))));
        }
        Thread.sleep(option("warmup", 10) * 1_000L);
        List<String> runs = new ArrayList<>();
        for (int run = 0; run < option("runs", 3); run++) {
            runs.add(oneRun(option("seconds", 8), latencies));
        }
        over = true;
        for (Thread thread : threads) {
            thread.join();
        }
        replicas.forEach(Lanes::close);
        print(callers, runs, total.get(), database);
    }

    private String oneRun(int seconds, List<Latencies> latencies) throws InterruptedException {
        latencies.forEach(Latencies::clear);
        admitted.reset();
        other.reset();
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
        long[] all = Latencies.merged(latencies);
        return """
        {"admissionsPerSecond": %d, "refusalsPerSecond": %d, "callsPerBatch": %.1f, \
        "batchesPerSecond": %d, "roundMicros": %d, "lockWaitMicros": %d, \
        "p50Micros": %d, "p99Micros": %d, "cpuMicrosPerCall": %.2f}\
        """
                .formatted(
                        Math.round(admitted.sum() / took),
                        Math.round(other.sum() / took),
                        (double) batched.sum() / Math.max(1, batches.sum()),
                        Math.round(batches.sum() / took),
                        roundNanos.sum() / 1_000 / Math.max(1, batches.sum()),
                        lockMicros.sum() / Math.max(1, batches.sum()),
                        all.length == 0 ? -1 : all[all.length / 2] / 1_000,
                        all.length == 0 ? -1 : all[all.length * 99 / 100] / 1_000,
                        cpuMicros / Math.max(1, admitted.sum() + other.sum()));
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private long calls(Lanes lanes, Snapshot state, int number, Latencies latencies) {
        Subject subject = subject(number);
        long told = 0;
        while (!over) {
            told += call(lanes, state, subject, System.nanoTime(), latencies) ? 1 : 0;
        }
        return told;
    }

    private Subject subject(int number) {
        int agent = number % option("agents", 16);
        return new Subject(
                "tenant-" + agent % 4, "agent-of-the-benchmark-" + agent, "s", TOOL, null);
    }

    private boolean call(
            Lanes lanes, Snapshot state, Subject subject, long began, Latencies latencies) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Claim claim = state.rules().budgets().claim(subject, Mode.ENFORCE);
        UUID call = new UUID(random.nextLong(), random.nextLong());
        Verdict verdict =
                lanes.admit(
                        new AdmissionRequest(
                                call,
                                subject,
                                claim,
                                "tools/call",
                                state,
                                60_000,
                                System.nanoTime()));
        boolean yes = verdict instanceof Verdict.Admitted;
        if (recording) {
            (yes ? admitted : other).increment();
            latencies.add(System.nanoTime() - began);
        }
        return yes;
    }

    /** Open loop: one thread a call, at most 4,096 under way. */
    private void evenly(
            List<Lanes> replicas, Snapshot state, int rate, Latencies latencies, AtomicLong told) {
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
                                if (call(lanes, state, subject, intended, latencies)) {
                                    told.incrementAndGet();
                                }
                                free.release();
                            });
        }
        free.acquireUninterruptibly(4_096);
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
            s.execute("select pg_reload_conf()");
        }
    }

    private static long epoch(TestDatabase database) throws SQLException {
        return number(database, "select epoch from penstock.control");
    }

    private void print(int callers, List<String> runs, long told, TestDatabase database)
            throws SQLException {
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
                {"benchmark": "ledger-%s", "callers": %d, "agents": %d, "lanes": %d, "rate": %d,
                 "intentBytes": %d, "toldAdmitted": %d, "counted": %d, "journaled": %d, "exact": %b,
                 "java": "%s", "processors": %d, "maxHeapMiB": %d,
                 "postgres": {%s},
                 "runs": [
                %s]}
                """,
                mode,
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

    /** One caller's own latencies, so that measuring needs no shared memory. */
    private static final class Latencies {
        private long[] nanos = new long[1 << 10];
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

        static long[] merged(List<Latencies> parts) {
            long[] all = parts.stream().flatMapToLong(p -> Arrays.stream(p.copy())).toArray();
            Arrays.sort(all);
            return all;
        }
    }
}

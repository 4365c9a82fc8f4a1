package io.penstock.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Measures the gateway beside nginx, in one run, interleaved, against one stub, and writes the raw
 * figures; {@link MeasurementsPage} makes the page of them. {@code docs/internals/measure.sh} runs
 * it.
 */
final class Measurements {
    private static final int CONNECTIONS = 64;
    private static final int PER_SECOND = 500;
    private static final int ROUNDS = 3;
    private static final int STARTS = 5;

    private static final List<String> KEYS =
            IntStream.range(0, 16).mapToObj(i -> "key-of-measured-agent-" + i).toList();

    /** One way through which the calls go. */
    private record Way(String name, String what, int port, String path, List<Replica> replicas) {}

    private final ObjectMapper mapper = new ObjectMapper();
    private final ObjectNode result = mapper.createObjectNode();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Path raw;
    private final Duration warmUp;
    private final Duration round;

    private Measurements(Path raw, boolean quick) {
        this.raw = raw;
        this.warmUp = Duration.ofSeconds(quick ? 3 : 10);
        this.round = Duration.ofSeconds(quick ? 3 : 15);
        result.put("quick", quick);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]).toAbsolutePath();
        boolean quick = List.of(arguments).contains("--quick");
        Files.createDirectories(folder);
        if (List.of(arguments).contains("--ledger")) {
            MeasurementsPage.write(folder);
            return;
        }
        var measurements = new Measurements(folder, quick);
        try {
            measurements.run();
        } finally {
            measurements.close();
        }
        MeasurementsPage.write(folder);
    }

    private void run() throws Exception {
        EmbeddedPostgres postgres =
                closing(
                        EmbeddedPostgres.start(
                                EmbeddedOptions.temporary()
                                        .with(
                                                Map.of(
                                                        "min_wal_size",
                                                        "2GB",
                                                        "max_connections",
                                                        "200"))));
        var server = new TestServer(postgres.owner());
        result.set("machine", Machine.facts(mapper, server));
        Nginx stub = closing(Nginx.stub());
        Nginx proxy = closing(Nginx.proxy(stub.port()));

        TestDatabase single = closing(server.fresh());
        TestDatabase pair = closing(server.fresh());
        Settings one = settings("one", single, stub);
        Settings two = settings("two", pair, stub);
        starts(one);
        ups();
        Replica alone = closing(Replica.of("alone", one).launch());
        int shared = Ports.free();
        List<Replica> both =
                List.of(
                        closing(Replica.of("left", two, shared, ", share: true").launch()),
                        closing(Replica.of("right", two, shared, ", share: true").launch()));
        List<Replica> apart =
                List.of(
                        closing(Replica.of("first", settings("apart", pair, stub)).launch()),
                        closing(Replica.of("second", settings("apart", pair, stub)).launch()));
        alone.awaitAdmitting();
        both.forEach(Replica::awaitAdmitting);
        apart.forEach(Replica::awaitAdmitting);
        Balancer balancer =
                closing(Balancer.start(apart, "option http-keep-alive\n    http-reuse always"));

        List<Way> ways =
                List.of(
                        new Way(
                                "nginx",
                                "nginx as proxy, one worker",
                                proxy.port(),
                                "/mcp/tools",
                                List.of()),
                        new Way(
                                "ungoverned",
                                "one replica, server mode `off`",
                                alone.port(),
                                "/mcp/plain",
                                List.of(alone)),
                        new Way(
                                "one",
                                "one replica, everything on",
                                alone.port(),
                                "/mcp/tools",
                                List.of(alone)),
                        new Way(
                                "two",
                                "two replicas on a shared port, everything on",
                                shared,
                                "/mcp/tools",
                                both),
                        new Way(
                                "haproxy",
                                "two replicas behind HAProxy, everything on",
                                balancer.port(),
                                "/mcp/tools",
                                apart));
        memory("idle", alone, both);
        throughput(ways, single, pair);
        memory("afterLoad", alone, both);
        latency(shared, balancer.port());
        mapper.writerWithDefaultPrettyPrinter()
                .writeValue(raw.resolve("results.json").toFile(), result);
    }

    /**
     * API keys of sixteen agents of four tenants; three budgets: everybody's, the tenant's, the
     * agent's.
     */
    private static Settings settings(String name, TestDatabase database, Nginx stub) {
        var settings =
                Settings.of(
                        Program.FOLDER.resolve("measure-" + name), database.gateway(), stub.port());
        var keys = new StringBuilder();
        for (int i = 0; i < KEYS.size(); i++) {
            keys.append(Settings.agentKey("k" + i, KEYS.get(i), "tenant-" + i % 4, "agent-" + i));
        }
        settings.file("keys.yaml", keys.toString());
        return settings.set(
                        "servers",
                        """

                        - { name: tools, url: "http://127.0.0.1:%1$d/mcp" }
                        - { name: plain, url: "http://127.0.0.1:%1$d/mcp", mode: off }\
                        """
                                .formatted(stub.port()))
                .set(
                        "budgets",
                        Settings.budgets(
                                List.of(
                                        "everybody 1000000000 1m",
                                        "tenants 1000000000 1m tenant",
                                        "agents 1000000000 1m tenant,agent")));
    }

    private void throughput(List<Way> ways, TestDatabase single, TestDatabase pair) {
        for (Way way : ways) wrk(way, warmUp);
        ArrayNode runs = result.putArray("throughput");
        for (int i = 1; i <= ROUNDS; i++) {
            for (Way way : ways) {
                long before = intents(way, single, pair);
                Wrk.Run run = wrk(way, round);
                long admitted = intents(way, single, pair) - before;
                write("wrk-" + way.name() + "-" + i + ".txt", run.raw());
                ObjectNode entry = runs.addObject();
                entry.put("way", way.name()).put("what", way.what()).put("round", i);
                entry.put("connections", CONNECTIONS).put("perSecond", run.perSecond());
                entry.put("p50Micros", run.summary().path("p50").asLong());
                entry.put("p99Micros", run.summary().path("p99").asLong());
                entry.put("errors", run.errors())
                        .put("requests", run.summary().path("requests").asLong());
                if (!way.name().equals("nginx") && !way.name().equals("ungoverned")) {
                    entry.put("intentsInJournal", admitted);
                    check(way, run, admitted);
                }
                System.out.printf("%-10s round %d %,10.0f/s%n", way.name(), i, run.perSecond());
            }
        }
    }

    /**
     * A figure counts only if every answer was an admitted call: one intent each, and at most those
     * under way more.
     */
    private static void check(Way way, Wrk.Run run, long admitted) {
        long requests = run.summary().path("requests").asLong();
        if (run.errors() > 0 || admitted < requests || admitted > requests + CONNECTIONS) {
            throw new IllegalStateException(
                    "%s: %d errors, %d answers, %d intents"
                            .formatted(way.name(), run.errors(), requests, admitted));
        }
    }

    private static long intents(Way way, TestDatabase single, TestDatabase pair) {
        if (way.replicas().isEmpty()) return 0;
        TestDatabase database = way.replicas().size() == 1 ? single : pair;
        try (var connection = database.connectAsSuperuser();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "select count(*) from penstock.journal where kind = 'intent'")) {
            rows.next();
            return rows.getLong(1);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Wrk.Run wrk(Way way, Duration duration) {
        return Wrk.run(way.port(), way.path(), KEYS, CONNECTIONS, duration);
    }

    private void latency(int shared, int balanced) {
        ArrayNode runs = result.putArray("latency");
        for (Map.Entry<String, Integer> way :
                Map.of("two", shared, "haproxy", balanced).entrySet()) {
            even(way.getValue(), warmUp);
            for (int i = 1; i <= ROUNDS; i++) {
                OpenLoop.Outcome outcome = even(way.getValue(), round.multipliedBy(2));
                var histogram = Objects.requireNonNull(outcome.micros().get("admitted"));
                ObjectNode entry = runs.addObject();
                entry.put("way", way.getKey()).put("round", i).put("perSecond", PER_SECOND);
                entry.put("count", histogram.getTotalCount());
                entry.put(
                        "others",
                        outcome.answered() - histogram.getTotalCount() + outcome.failed());
                for (double percentile : new double[] {50, 90, 95, 99, 99.9}) {
                    entry.put("p" + percentile, histogram.getValueAtPercentile(percentile));
                }
                entry.put("max", histogram.getMaxValue());
                System.out.println(way.getKey() + " " + outcome.line("admitted"));
            }
        }
    }

    private static OpenLoop.Outcome even(int port, Duration duration) {
        return new OpenLoop(
                        port, i -> Requests.toolCall(KEYS.get(i % KEYS.size()), "tools", "echo", i))
                .run(PER_SECOND, duration);
    }

    /** From the launcher's first instruction to the first answer that says ready. */
    private void starts(Settings settings) throws IOException {
        ArrayNode times = result.putArray("serveReadyMillis");
        for (int i = 0; i < STARTS; i++) {
            try (Replica replica = Replica.of("start" + i, settings)) {
                long began = System.nanoTime();
                replica.launchByLauncher();
                replica.awaitReady();
                times.add((System.nanoTime() - began) / 1_000_000);
            }
        }
        System.out.println("serve ready after ms: " + times);
    }

    /** The same for {@code penstock up}, to the table that it prints when everything runs. */
    private void ups() {
        ArrayNode times = result.putArray("upMillis");
        for (int i = 0; i < STARTS; i++) {
            long began = System.nanoTime();
            try (Program up =
                    Program.start(
                            "up" + i,
                            List.of("../penstock", "up"),
                            Map.of("PENSTOCK_BUILD", "never"))) {
                up.awaitOutput("Ctrl-C");
                times.add((System.nanoTime() - began) / 1_000_000);
            }
        }
        System.out.println("up ready after ms: " + times);
    }

    private void memory(String when, Replica alone, List<Replica> both) {
        ObjectNode entry = result.putObject("memory-" + when);
        entry.set("one", Machine.memory(mapper, alone.program().pid()));
        entry.set("left", Machine.memory(mapper, both.get(0).program().pid()));
        entry.set("right", Machine.memory(mapper, both.get(1).program().pid()));
    }

    private void write(String name, String text) {
        try {
            Files.writeString(raw.resolve(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private <T extends AutoCloseable> T closing(T resource) {
        open.add(resource);
        return resource;
    }

    private void close() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas are killed and Postgres crashes in the middle of an overload, at moments that a seed
 * chooses: never one unit over, every call accounted for, every hold ended once.
 */
final class CrashIT {
    private static final int PER_SECOND = 240;
    private static final int KILLS = Depth.of("penstock.kills", 3, 50);
    private static final int CRASH_EVERY = 3;
    private static final int LIMIT = 40;
    private static final int SLOTS = 5;
    private static final List<String> TOOLS = List.of("echo", "slide", "use-5", "slow");

    private static final String BUDGETS =
            """

            - { name: fixed, limit: %1$d, window: 1s, match: { tool: echo } }
            - { name: sliding, limit: %1$d, window: { sliding: 1s }, match: { tool: slide } }
            - { name: tokens, unit: tokens, limit: 1000000, window: lifetime, match: { tool: "use-*" } }
            - { name: slots, unit: concurrency, limit: %2$d, match: { tool: slow } }\
            """
                    .formatted(LIMIT, SLOTS);

    private static final String PRICES =
            """

            - { tool: "use-*", unit: tokens, max: 40, result: /usage/tokens }\
            """;

    @TempDir Path folder;

    @SuppressWarnings("NullAway.Init") // the test's first act
    private EmbeddedPostgres postgres;

    @Test
    void overload_replicasAndPostgresCrash_isExactAndAccountedFor() throws Exception {
        long seed = Long.getLong("penstock.seed", new Random().nextLong());
        System.out.println("crashes, -Dpenstock.seed=" + seed);
        postgres = EmbeddedPostgres.start(EmbeddedOptions.in(folder));
        try (Gate gate =
                Gate.on(
                        new TestServer(postgres.owner()).fresh(),
                        settings ->
                                settings.set("budgets", BUDGETS)
                                        .set("prices", PRICES)
                                        .set("servers", servers(settings)))) {
            gate.add("a").launch();
            gate.add("b").launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();

            var done = new AtomicBoolean();
            Load load = Load.start(() -> load(gate, done));
            try {
                crash(gate, new Random(seed));
            } finally {
                done.set(true);
                load.outcome();
            }
            judge(gate);
        } finally {
            postgres.close();
        }
    }

    /** What a dead replica's calls hold must come back within the test's patience. */
    private static String servers(Settings settings) {
        String yaml = settings.yaml();
        int at = yaml.indexOf("http://127.0.0.1:");
        return "[{ name: tools, url: \""
                + yaml.substring(at, yaml.indexOf("/mcp", at))
                + "/mcp\", timeout: 2s, idle-timeout: 2s, max-duration: 3s }]";
    }

    private static OpenLoop.Outcome load(Gate gate, AtomicBoolean done) {
        return new OpenLoop(
                        gate.port(),
                        i ->
                                Requests.toolCall(
                                        Settings.KEY, "tools", TOOLS.get(i % TOOLS.size()), i))
                .run(PER_SECOND, Duration.ofMinutes(30), done::get);
    }

    private void crash(Gate gate, Random random) {
        long start = System.nanoTime();
        pause(1_500);
        for (int i = 0; i < KILLS; i++) {
            pause(300 + random.nextInt(1_500));
            Replica victim = gate.replica(random.nextInt(2));
            say(start, "kill -9 " + victim.name());
            victim.kill();
            if (i % CRASH_EVERY == CRASH_EVERY / 2) {
                pause(random.nextInt(500));
                say(start, "crash of Postgres");
                int port = postgres.port();
                postgres.crash();
                pause(random.nextInt(1_000));
                postgres = EmbeddedPostgres.start(EmbeddedOptions.in(folder).onPort(port));
                say(start, "Postgres is back");
            }
            victim.launch().awaitAdmitting();
            say(start, victim.name() + " is back");
        }
        pause(1_500);
    }

    private static void pause(int millis) {
        Await.pause(Duration.ofMillis(millis));
    }

    private static void say(long start, String what) {
        System.out.printf("  %8.3f s  %s%n", (System.nanoTime() - start) / 1_000_000_000.0, what);
    }

    private static void judge(Gate gate) {
        Map<UUID, Intent> intents = intents(gate);
        Set<UUID> undone = undone(gate);
        Set<UUID> arrived = new HashSet<>();
        for (Upstream.Arrival arrival : gate.upstream().arrivals()) {
            assertThat(arrived.add(arrival.call())).as("a call arrives once").isTrue();
            assertThat(intents).as("intent before the first byte").containsKey(arrival.call());
            assertThat(undone).as("calls undone that arrived").doesNotContain(arrival.call());
        }
        assertThat(arrived)
                .as("calls with an outcome that speaks of an answer")
                .containsAll(answered(gate));
        assertThat(gate.upstream().mostAtOnce(Trick.SLOW))
                .as("slots in use at once, as the upstream saw it")
                .isBetween(1, SLOTS);
        intents.keySet().removeAll(undone);
        windows(intents, "echo");
        slides(intents, "slide");
        holds(gate);
    }

    /** What was charged, whether or not it arrived: a call that was lost stays charged. */
    private static void windows(Map<UUID, Intent> intents, String tool) {
        var perWindow = new TreeMap<Long, Integer>();
        for (long micros : times(intents, tool)) {
            perWindow.merge(Math.floorDiv(micros, 1_000_000), 1, Integer::sum);
        }
        System.out.println("  per window: " + perWindow.values());
        assertThat(perWindow.values()).hasSizeGreaterThan(4).allMatch(count -> count <= LIMIT);
        assertThat(perWindow.values()).as("windows that were full").contains(LIMIT);
    }

    private static void slides(Map<UUID, Intent> intents, String tool) {
        List<Long> times = times(intents, tool);
        assertThat(times).hasSizeGreaterThan(2 * LIMIT);
        for (int i = LIMIT; i < times.size(); i++) {
            assertThat(times.get(i) - times.get(i - LIMIT)).isGreaterThanOrEqualTo(1_000_000);
        }
    }

    private static List<Long> times(Map<UUID, Intent> intents, String tool) {
        return intents.values().stream()
                .filter(intent -> intent.tool().equals(tool))
                .map(Intent::micros)
                .sorted()
                .toList();
    }

    private static Set<UUID> undone(Gate gate) {
        return calls(gate, "outcome = 'not-sent'");
    }

    private static Set<UUID> answered(Gate gate) {
        return calls(gate, "kind = 'outcome' and outcome = 'completed'");
    }

    private static Set<UUID> calls(Gate gate, String where) {
        return gate.rows("select distinct call from penstock.journal where " + where).stream()
                .map(row -> UUID.fromString(row.getFirst()))
                .collect(Collectors.toSet());
    }

    /** Every hold ends, once; what was spent is what the settlements say. */
    private static void holds(Gate gate) {
        Await.until(
                "holds of the dead are ended",
                Duration.ofSeconds(60),
                () -> gate.number("select count(*) from penstock.hold") == 0);
        assertThat(
                        gate.rows(
                                "select call from penstock.journal where kind = 'settlement' and"
                                        + " budget = 'tokens' group by call having count(*) > 1"))
                .as("settled twice")
                .isEmpty();
        assertThat(
                        gate.rows(
                                "select call from penstock.journal i where kind = 'intent'"
                                        + " and tool = 'use-5' and not exists (select from"
                                        + " penstock.journal s where s.call = i.call and (s.kind ="
                                        + " 'settlement' or s.outcome = 'not-sent'))"))
                .as("neither settled nor undone")
                .isEmpty();
        assertThat(gate.number("select used from penstock.budget_usage where budget = 'tokens'"))
                .as("spent")
                .isEqualTo(
                        gate.number(
                                "select sum(count) from penstock.journal where kind = 'settlement'"
                                        + " and budget = 'tokens'"));
        assertThat(gate.number("select used from penstock.budget_usage where budget = 'slots'"))
                .as("slots that never came back")
                .isZero();
    }

    private record Intent(String tool, long micros) {}

    private static Map<UUID, Intent> intents(Gate gate) {
        Map<UUID, Intent> intents = new HashMap<>();
        for (List<String> row :
                gate.rows(
                        "select call, tool, (extract(epoch from at) * 1000000)::bigint"
                                + " from penstock.journal where kind = 'intent'")) {
            Intent intent = new Intent(row.get(1), Long.parseLong(row.get(2)));
            assertThat(intents.put(UUID.fromString(row.get(0)), intent))
                    .as("one intent a call")
                    .isNull();
        }
        return intents;
    }
}

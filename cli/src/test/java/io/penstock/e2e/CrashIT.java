package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas are killed and Postgres crashes in the middle of an overload, at moments that a seed
 * chooses: never one unit over, every call accounted for, every hold ended once.
 */
final class CrashIT {
    private static final int PER_SECOND = 240;
    private static final int KILLS = Integer.getInteger("penstock.kills", 3);
    private static final List<String> TOOLS = List.of("echo", "slide", "use-5", "slow");

    private static final String BUDGETS =
            """

            - { name: fixed, limit: 40, window: 1s, match: { tool: echo } }
            - { name: sliding, limit: 40, window: { sliding: 1s }, match: { tool: slide } }
            - { name: tokens, unit: tokens, limit: 1000000, window: lifetime, match: { tool: "use-*" } }
            - { name: slots, unit: concurrency, limit: 5, match: { tool: slow } }\
            """;

    private static final String PRICES =
            """

            - { tool: "use-*", unit: tokens, max: 40, result: /usage/tokens }\
            """;

    @TempDir Path folder;

    @Test
    void overload_replicasAndPostgresCrash_isExactAndAccountedFor() throws Exception {
        long seed = Long.getLong("penstock.seed", new Random().nextLong());
        System.out.println("crashes, -Dpenstock.seed=" + seed);
        EmbeddedPostgres postgres = EmbeddedPostgres.start(EmbeddedOptions.in(folder));
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

            AtomicBoolean done = new AtomicBoolean();
            Thread load = Thread.ofPlatform().start(() -> load(gate, done));
            postgres = crash(gate, postgres, new Random(seed));
            done.set(true);
            load.join(TimeUnit.SECONDS.toMillis(60));

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

    private static void load(Gate gate, AtomicBoolean done) {
        new OpenLoop(
                        gate.port(),
                        i ->
                                Requests.toolCall(
                                        Settings.KEY, "tools", TOOLS.get(i % TOOLS.size()), i))
                .run(PER_SECOND, Duration.ofMinutes(5), done::get);
    }

    private EmbeddedPostgres crash(Gate gate, EmbeddedPostgres postgres, Random random)
            throws InterruptedException {
        EmbeddedPostgres now = postgres;
        TimeUnit.MILLISECONDS.sleep(1_500);
        for (int i = 0; i < KILLS; i++) {
            TimeUnit.MILLISECONDS.sleep(300 + random.nextInt(1_500));
            Replica victim = gate.replica(random.nextInt(2));
            System.out.println("  kill -9 " + victim.name());
            victim.kill();
            if (i == KILLS / 2) {
                TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
                System.out.println("  crash of Postgres");
                int port = now.port();
                now.crash();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1_000));
                now = EmbeddedPostgres.start(EmbeddedOptions.in(folder).onPort(port));
            }
            victim.launch().awaitAdmitting();
        }
        TimeUnit.MILLISECONDS.sleep(1_500);
        return now;
    }

    private static void judge(Gate gate) {
        Map<UUID, Intent> intents = intents(gate);
        Set<UUID> arrived = new HashSet<>();
        var perWindow = new TreeMap<Long, Integer>();
        List<Long> slide = new ArrayList<>();
        for (Upstream.Arrival arrival : gate.upstream().arrivals()) {
            assertThat(arrived.add(arrival.call())).as("a call arrives once").isTrue();
            Intent intent = intents.get(arrival.call());
            if (intent == null) {
                throw new AssertionError("no intent before the first byte of " + arrival.call());
            }
            if (intent.tool().equals("echo")) {
                perWindow.merge(Math.floorDiv(intent.micros(), 1_000_000), 1, Integer::sum);
            } else if (intent.tool().equals("slide")) {
                slide.add(intent.micros());
            }
        }
        System.out.println("  per window: " + perWindow.values());
        assertThat(perWindow.values()).hasSizeGreaterThan(4).allMatch(count -> count <= 40);
        assertThat(perWindow.values()).as("windows that were full").contains(40);
        slide.sort(null);
        for (int i = 40; i < slide.size(); i++) {
            assertThat(slide.get(i) - slide.get(i - 40)).isGreaterThanOrEqualTo(1_000_000);
        }
        holds(gate);
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

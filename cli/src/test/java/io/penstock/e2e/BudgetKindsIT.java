package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every kind of budget, end to end over two replicas. */
final class BudgetKindsIT {
    private static final long MAX_BYTES = 1 << 20;

    @SuppressWarnings("NullAway.Init") // before all tests
    private static Gate gate;

    @BeforeAll
    static void start() {
        gate =
                Gate.start(
                        2,
                        settings ->
                                settings.set("budgets", BUDGETS)
                                        .set("prices", PRICES)
                                        .set("servers", servers(settings)));
    }

    /** Calls of these tests end within 4 s, so that a dead replica's slots come back in time. */
    private static String servers(Settings settings) {
        String yaml = settings.yaml();
        int port = yaml.indexOf("http://127.0.0.1:");
        String upstream = yaml.substring(port, yaml.indexOf("/mcp", port));
        return "[{ name: tools, url: \""
                + upstream
                + "/mcp\", timeout: 3s, idle-timeout: 3s, max-duration: 4s }]";
    }

    @AfterAll
    static void stop() {
        gate.close();
    }

    private static final String BUDGETS =
            """

            - { name: paid, unit: cost, limit: 0.01 USD, window: lifetime, per: [tenant], match: { tool: "paid*" } }
            - { name: tokens, unit: tokens, limit: 100, window: lifetime, match: { tool: "use-10" } }
            - { name: bytes, unit: bytes, limit: 10MiB, window: { calendar: day, zone: Europe/Berlin }, match: { tool: big } }
            - { name: slots, unit: concurrency, limit: 2, match: { tool: endless } }
            - { name: soft, limit: 1, window: lifetime, mode: warn, match: { tool: soft } }
            - { name: free, unit: cost, limit: 1 USD, window: 1h, match: { tool: free } }
            - name: each
              limit: 1
              window: lifetime
              per: [tenant]
              match: { tool: each }
              overrides: [{ tenant: acme, limit: 3 }]
            - { name: sliding, limit: 50, window: { sliding: 1s }, match: { tool: slide } }
            - { name: smooth, rate: 100/s, burst: 20, match: { tool: smooth } }
            - { name: adaptive, unit: tokens, limit: 1000, window: lifetime, reserve: adaptive, match: { tool: "use-3" } }
            - { name: session, limit: 2, window: { session: 30m }, match: { tool: talk } }\
            """;

    private static final String PRICES =
            """

            - { tool: "paid*", cost: 0.004 USD }
            - { tool: "use-*", unit: tokens, max: 40, result: /usage/tokens }
            - { tool: big, unit: bytes, max: 1MiB }\
            """;

    private static String call(String tool) {
        return call(Settings.KEY, tool).decision();
    }

    private static Wire.Answer call(String key, String tool) {
        return gate.decided(Requests.toolCall(key, "tools", tool, 1));
    }

    private static List<String> calls(int count, String tool) {
        List<String> decisions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            decisions.add(call(tool));
        }
        return decisions;
    }

    private static void awaitHeld(String budget, long held) {
        gate.awaitNumber(
                "held of " + budget,
                held,
                "select coalesce(sum(held), 0) from penstock.budget_usage where budget = '"
                        + budget
                        + "'");
    }

    @Test
    void cost_knownBeforehand_isChargedAtAdmission() {
        assertThat(calls(3, "paid_tool"))
                .containsExactly("admitted", "admitted", "budget-exhausted");
        assertThat(call(Settings.KEY, "paid_tool").text())
                .contains("0.01 USD per lifetime are used up");
    }

    @Test
    void tokens_knownAfterwards_areHeldThenSettled() {
        int admitted = 0;
        while (call("use-10").equals("admitted")) {
            admitted++;
            awaitHeld("tokens", 0);
        }

        assertThat(admitted).as("40 are held each time, and 10 of them spent").isEqualTo(7);
        gate.awaitNumber(
                "used", 70, "select used from penstock.budget_usage where budget = 'tokens'");
        assertThat(
                        gate.number(
                                "select count(*) from penstock.journal where kind = 'settlement'"
                                        + " and budget = 'tokens' and outcome = 'settled'"))
                .isEqualTo(7);
    }

    @Test
    void bytes_answerReachesItsHold_isCut() throws Exception {
        byte[] request = Requests.toolCall(Settings.KEY, "tools", "big", 1);
        try (Wire wire = Wire.open(gate.port())) {
            Wire.Answer answer = wire.call(request);

            assertThat(answer.body().length).isLessThan((int) MAX_BYTES + 1_000);
            assertThat(answer.text())
                    .endsWith("\n\n")
                    .contains("-33008", "may use of budget bytes");
        }
        awaitHeld("bytes", 0);
        long used = gate.number("select used from penstock.budget_usage where budget = 'bytes'");
        assertThat(used).isBetween(MAX_BYTES / 2, MAX_BYTES);
    }

    /** Each replica learns for itself, and all of them hold less in the end. */
    @Test
    void tokens_adaptiveReserve_holdsWhatCallsCostOfLate() {
        assertThat(calls(100, "use-3")).containsOnly("admitted");
        awaitHeld("adaptive", 0);

        assertThat(
                        gate.number(
                                "select count(*) from penstock.journal where kind = 'settlement'"
                                        + " and budget = 'adaptive' and outcome = 'settled'"))
                .isEqualTo(100);
        assertThat(gate.number("select used from penstock.budget_usage where budget = 'adaptive'"))
                .isEqualTo(300);
        try (Program explain =
                gate.operator(
                        "budgets",
                        "explain",
                        "--agent",
                        "acme/one",
                        "--server",
                        "tools",
                        "--tool",
                        "use-3")) {
            assertThat(explain.awaitExit(Await.LONG)).hasValue(0);
            assertThat(explain.output()).contains("would be admitted now");
        }
    }

    @Test
    void warn_usedUp_admitsAndMarks() {
        assertThat(call(Settings.KEY, "soft").header("Penstock-Warning")).isEmpty();

        Wire.Answer second = call(Settings.KEY, "soft");

        assertThat(second.decision()).isEqualTo("admitted");
        assertThat(second.header("Penstock-Warning")).contains("budget soft");
    }

    @Test
    void cost_callWithoutAPrice_isRefused() {
        assertThat(call("free")).isEqualTo("unpriced");
    }

    @Test
    void override_ofOneTenant_isItsLimit() {
        assertThat(calls(4, "each"))
                .containsExactly("admitted", "admitted", "admitted", "budget-exhausted");
        assertThat(call(Settings.OTHER_KEY, "each").decision()).isEqualTo("admitted");
        assertThat(call(Settings.OTHER_KEY, "each").decision()).isEqualTo("budget-exhausted");
    }

    @Test
    void explain_andReset_doWhatTheySay() {
        assertThat(calls(2, "talk")).containsExactly("admitted", "admitted");
        assertThat(call("talk")).isEqualTo("budget-exhausted");

        try (Program explain =
                gate.operator(
                        "budgets",
                        "explain",
                        "--agent",
                        "acme/one",
                        "--server",
                        "tools",
                        "--tool",
                        "talk")) {
            assertThat(explain.awaitExit(Await.LONG)).hasValue(1);
            assertThat(explain.output()).contains("session", "refuses", "would be refused now");
        }
        gate.operate("budgets", "reset", "session", "--tenant", "globex", "--reason", "other");
        assertThat(call("talk")).as("that was another tenant's").isEqualTo("budget-exhausted");
        gate.operate("budgets", "reset", "session", "--agent", "acme/one", "--reason", "test");

        assertThat(call("talk")).isEqualTo("admitted");
        assertThat(
                        gate.number(
                                "select count(*) from penstock.journal"
                                        + " where kind = 'control' and reason = 'test'"))
                .isEqualTo(1);
    }

    @Test
    void sliding_underOverload_noIntervalHoldsMore() {
        List<Long> times = overload("slide", 250, 6);

        for (int i = 50; i < times.size(); i++) {
            assertThat(times.get(i) - times.get(i - 50))
                    .as("51 admissions within one second, at %d", i)
                    .isGreaterThanOrEqualTo(1_000_000);
        }
        double seconds = (times.getLast() - times.getFirst()) / 1e6;
        assertThat(times.size()).isGreaterThan((int) (seconds * 50 / 1.1));
    }

    @Test
    void rate_underOverload_isSmoothAndNeverOver() {
        List<Long> times = overload("smooth", 250, 6);

        for (int from = 0; from < times.size(); from++) {
            for (int to = from; to < times.size(); to++) {
                double span = (times.get(to) - times.get(from)) / 1e6;
                assertThat(to - from + 1)
                        .isLessThanOrEqualTo((int) Math.floor(20 + 100 * span + 1e-6));
            }
        }
        double seconds = (times.getLast() - times.getFirst()) / 1e6;
        assertThat(times.size()).isGreaterThan((int) (seconds * 95));
    }

    /** The database's times, in order, of the calls that arrived at the upstream. */
    private static List<Long> overload(String tool, int perSecond, int seconds) {
        OpenLoop.Outcome outcome =
                new OpenLoop(gate.port(), i -> Requests.toolCall(Settings.KEY, "tools", tool, i))
                        .run(perSecond, Duration.ofSeconds(seconds));
        assertThat(outcome.failures()).isEmpty();
        Set<UUID> arrived = new HashSet<>();
        gate.upstream().arrivals().forEach(arrival -> arrived.add(arrival.call()));
        List<Long> times = new ArrayList<>();
        for (List<String> row :
                gate.rows(
                        "select call, (extract(epoch from at) * 1000000)::bigint"
                                + " from penstock.journal where kind = 'intent' and tool = '"
                                + tool
                                + "' order by at")) {
            if (arrived.contains(UUID.fromString(row.get(0)))) {
                times.add(Long.parseLong(row.get(1)));
            }
        }
        assertThat((long) times.size()).isEqualTo(outcome.count("admitted"));
        return times;
    }

    @Test
    void concurrency_overReplicas_slotsComeBackWhenCallsEnd() throws Exception {
        byte[] endless = Requests.toolCall(Settings.KEY, "tools", "endless", 1);
        try (Wire one = Wire.open(gate.replica(0).port());
                Wire two = Wire.open(gate.replica(1).port())) {
            one.send(endless);
            two.send(endless);
            awaitHeld("slots", 2);
            assertThat(call("endless")).isEqualTo("concurrency-exhausted");
        }
        awaitHeld("slots", 0);
        assertThat(gate.number("select count(*) from penstock.hold where slot")).isZero();
    }
}

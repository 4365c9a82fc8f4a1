package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Never one unit over, and every unit usable, over two replicas under five times the load that is
 * allowed.
 */
final class ExactnessIT {
    private static final int LIMIT = 100;
    private static final int PER_SECOND = 500;
    private static final int WINDOWS = 15;

    /**
     * What a machine that is busy with other things may add to the budget's own answers: never an
     * admission.
     */
    private static final Set<String> EXPECTED =
            Set.of("admitted", "budget-exhausted", "ledger-unavailable", "control-stale");

    @Test
    void overload_twoReplicasOneBudget_admitsExactlyTheLimitInEveryWholeWindow() {
        try (Gate gate =
                Gate.start(
                        2,
                        settings ->
                                settings.set(
                                        "budgets",
                                        Settings.budgets(List.of("all " + LIMIT + " 1s"))))) {
            OpenLoop.warmUp(gate.upstream());
            OpenLoop.Outcome outcome =
                    new OpenLoop(gate.port(), ExactnessIT::request)
                            .run(PER_SECOND, Duration.ofSeconds(WINDOWS + 2));

            report(outcome);
            assertThat(outcome.failures()).isEmpty();
            assertThat(outcome.micros().keySet()).isSubsetOf(EXPECTED);
            assertThat(outcome.count("admitted") + outcome.count("budget-exhausted"))
                    .as("calls that the budget decided, of %d", outcome.answered())
                    .isGreaterThan(outcome.answered() * 98 / 100);
            assertThat(outcome.answered()).isEqualTo((long) PER_SECOND * (WINDOWS + 2));
            assertThat(gate.upstream().count()).isEqualTo((int) outcome.count("admitted"));
            assertWindows(gate);
            assertBothReplicasAdmitted(gate);
            assertJournalTells(gate, outcome);
        }
    }

    /** Both doors in turn: they share the budget. */
    private static byte[] request(int i) {
        return i % 2 == 0
                ? Requests.toolCall(Settings.KEY, "tools", "echo", i)
                : Requests.http(Settings.OTHER_KEY, "GET", "/http/api/users/" + i, "");
    }

    private static void report(OpenLoop.Outcome outcome) {
        System.out.println("exactness at " + PER_SECOND + "/s, two replicas behind HAProxy:");
        outcome.micros().keySet().forEach(key -> System.out.println("  " + outcome.line(key)));
    }

    /** The window of a call is the database's; that it was sent at all is the upstream's word. */
    private static void assertWindows(Gate gate) {
        Map<UUID, Long> windowOf = windowOfEachIntent(gate);
        Set<UUID> seen = new HashSet<>();
        var perWindow = new TreeMap<Long, Integer>();
        for (Upstream.Arrival arrival : gate.upstream().arrivals()) {
            assertThat(seen.add(arrival.call())).as("a call arrives once").isTrue();
            assertThat(windowOf).as("an intent before the first byte").containsKey(arrival.call());
            perWindow.merge(windowOf.get(arrival.call()), 1, Integer::sum);
        }
        // A call whose caller gave up before the answer of the database came was charged and not
        // sent.
        var unsent = new TreeMap<Long, Integer>();
        windowOf.forEach(
                (call, window) -> {
                    if (!seen.contains(call)) unsent.merge(window, 1, Integer::sum);
                });
        System.out.println(
                "  per window: " + perWindow.values() + ", charged and not sent: " + unsent);

        assertThat(perWindow.values()).allMatch(count -> count <= LIMIT);
        long first = perWindow.firstKey() + 1;
        for (long window = first; window < first + WINDOWS; window++) {
            assertThat(perWindow.getOrDefault(window, 0))
                    .as("window %d", window)
                    .isBetween(LIMIT - unsent.getOrDefault(window, 0), LIMIT);
        }
    }

    private static Map<UUID, Long> windowOfEachIntent(Gate gate) {
        Map<UUID, Long> windowOf = new HashMap<>();
        for (List<String> row :
                gate.rows(
                        "select call, floor(extract(epoch from at))::bigint from penstock.journal"
                                + " where kind = 'intent'")) {
            assertThat(windowOf.put(UUID.fromString(row.get(0)), Long.parseLong(row.get(1))))
                    .as("one intent a call")
                    .isNull();
        }
        return windowOf;
    }

    private static void assertBothReplicasAdmitted(Gate gate) {
        assertThat(
                        gate.rows(
                                "select incarnation, count(*) from penstock.journal"
                                        + " where kind = 'intent' group by 1"))
                .hasSize(2);
    }

    /** Outcomes and counts of refusals are written behind the calls, within a bound. */
    private static void assertJournalTells(Gate gate, OpenLoop.Outcome outcome) {
        long intents = gate.number("select count(*) from penstock.journal where kind = 'intent'");
        gate.awaitNumber(
                "number of outcomes",
                intents,
                "select count(*) from penstock.journal where kind = 'outcome'");
        gate.awaitNumber(
                "number of refusals",
                outcome.count("budget-exhausted"),
                "select coalesce(sum(coalesce(count, 1)), 0) from penstock.journal"
                        + " where kind in ('refusal', 'refusals') and code = 'budget-exhausted'");
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Never one unit over, and every unit usable, over two replicas under five times the load that is
 * allowed.
 */
final class ExactnessIT {
    private static final int LIMIT = 100;
    private static final int PER_SECOND = 500;
    private static final int WINDOWS = 15;

    @Test
    void overload_twoReplicasOneBudget_admitsExactlyTheLimitInEveryWholeWindow() {
        for (int i = 0; i < Depth.of("penstock.trials", 1, 20); i++) {
            Trial.run("exactness", ExactnessIT::trial);
        }
    }

    private static List<String> trial() {
        try (Gate gate = gate()) {
            Course course = overload(gate, WINDOWS);

            assertThat(course.outcome().failures()).isEmpty();
            assertThat(course.outcome().answered()).isEqualTo((long) PER_SECOND * (WINDOWS + 2));
            assertThat(course.verdict().violations()).isEmpty();
            assertBothReplicasAdmitted(gate);
            assertJournalTells(gate, course.outcome());
            return course.verdict().disturbances();
        }
    }

    /** A test that cannot fail proves nothing: a limiter that is one unit wrong must be seen. */
    @ParameterizedTest
    @EnumSource(
            value = Breakage.class,
            names = {"ONE_UNIT_TOO_MANY", "ONE_UNIT_TOO_FEW"})
    void overload_limiterThatIsWrongByOne_isFound(Breakage breakage) {
        try (Gate gate = gate()) {
            breakage.apply(gate);

            Course course = overload(gate, 4);

            String wrong =
                    breakage == Breakage.ONE_UNIT_TOO_MANY
                            ? " has " + (LIMIT + 1) + " of " + LIMIT
                            : " has " + (LIMIT - 1) + " of " + LIMIT;
            assertThat(course.verdict().violations()).anyMatch(v -> v.contains(wrong));
        }
    }

    private static Gate gate() {
        return Gate.start(
                2,
                settings ->
                        settings.set("budgets", Settings.budgets(List.of("all " + LIMIT + " 1s"))));
    }

    record Course(OpenLoop.Outcome outcome, ExactnessJudge.Verdict verdict) {}

    static Course overload(Gate gate, int windows) {
        OpenLoop.warmUp(gate.upstream());
        long clock = databaseMicrosAtNanoZero(gate);
        OpenLoop.Outcome outcome =
                new OpenLoop(gate.port(), ExactnessIT::request)
                        .run(PER_SECOND, Duration.ofSeconds(windows + 2));
        report(outcome);
        ExactnessJudge.Verdict verdict =
                ExactnessJudge.judge(LIMIT, windows, history(gate, outcome, clock));
        System.out.println("  per window: " + verdict.arrived().values());
        return new Course(outcome, verdict);
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
    static ExactnessJudge.History history(Gate gate, OpenLoop.Outcome outcome, long clock) {
        return new ExactnessJudge.History(
                outcome.sent().stream()
                        .map(
                                sent ->
                                        new ExactnessJudge.Offered(
                                                UUID.fromString(sent.call()),
                                                sent.decision(),
                                                clock + sent.departed() / 1_000,
                                                clock + sent.answered() / 1_000))
                        .toList(),
                gate.upstream().arrivals().stream().map(Upstream.Arrival::call).toList(),
                gate
                        .rows(
                                "select call, (extract(epoch from at) * 1000000)::bigint"
                                        + " from penstock.journal where kind = 'intent'")
                        .stream()
                        .map(
                                row ->
                                        new ExactnessJudge.Intent(
                                                UUID.fromString(row.get(0)),
                                                Long.parseLong(row.get(1))))
                        .toList());
    }

    /** What to add to this process's own microseconds to have the database's. */
    static long databaseMicrosAtNanoZero(Gate gate) {
        long before = System.nanoTime();
        long micros =
                gate.number("select (extract(epoch from clock_timestamp()) * 1000000)::bigint");
        return micros - (before + (System.nanoTime() - before) / 2) / 1_000;
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

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Latency at an even rate with everything on. Prints it and asserts nothing about time: CI machines
 * differ.
 */
final class LatencyIT {
    private static final int PER_SECOND = 500;

    @Test
    @EnabledIfSystemProperty(named = "penstock.full", matches = "true")
    void evenRate_everythingOn_admitsEachCall() {
        Trial.run("latency", LatencyIT::trial);
    }

    private static List<String> trial() {
        try (Gate gate =
                Gate.start(
                        2,
                        settings ->
                                settings.set(
                                        "budgets",
                                        Settings.budgets(
                                                List.of(
                                                        "shared 1000000 1m",
                                                        "tenants 1000000 1m tenant",
                                                        "agents 1000000 1m tenant,agent"))))) {
            OpenLoop.warmUp(gate.upstream());
            run(gate, Duration.ofSeconds(6));
            OpenLoop.Outcome outcome = run(gate, Duration.ofSeconds(10));

            System.out.println(
                    "latency at an even "
                            + PER_SECOND
                            + "/s, two replicas behind HAProxy, three budgets, durable intent and"
                            + " outcome:\n"
                            + "  "
                            + outcome.line("admitted"));
            assertThat(outcome.failures()).isEmpty();
            assertThat(outcome.answered()).isEqualTo(PER_SECOND * 10L);
            assertThat(outcome.sent())
                    .filteredOn(call -> !call.undecided())
                    .extracting(OpenLoop.Sent::decision)
                    .containsOnly("admitted");
            return Trial.undecided(outcome.sent());
        }
    }

    private static OpenLoop.Outcome run(Gate gate, Duration duration) {
        return new OpenLoop(gate.port(), i -> Requests.toolCall(Settings.KEY, "tools", "echo", i))
                .run(PER_SECOND, duration);
    }
}

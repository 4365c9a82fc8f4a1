package io.penstock.cluster.control;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Control states for tests that need no database. */
public final class ControlStates {
    private ControlStates() {}

    /** A state with nothing against anybody, trusted until that moment of the monotonic clock. */
    public static Snapshot clear(
            long epoch, List<Budget> budgets, Map<String, Mode> servers, long trustedUntilNanos) {
        return with(epoch, budgets, servers, List.of(), List.of(), trustedUntilNanos);
    }

    public static Snapshot with(
            long epoch,
            List<Budget> budgets,
            Map<String, Mode> servers,
            List<Stop> stops,
            List<Block> blocks,
            long trustedUntilNanos) {
        return new Snapshot(
                epoch,
                new Rules(1, budgets, servers, Duration.ofSeconds(1)),
                stops,
                blocks,
                KeyRing.EMPTY,
                trustedUntilNanos);
    }

    public static Stop stop(Scope scope, long epoch, boolean drain) {
        return new Stop(UUID.randomUUID(), scope, "a drill", "tester", epoch, drain, true);
    }

    /** Makes it the current state, as the control bus does. */
    public static void publish(ControlView view, Snapshot next) {
        view.publish(next);
    }

    /** Extends the lease of a state, as the lease's thread does. */
    public static void trust(Snapshot state, long untilNanos) {
        state.trust(untilNanos, 0);
    }
}

package io.penstock.cluster.model;

import static io.penstock.cluster.model.StopState.CONFIRMED;

import io.penstock.cluster.model.Explorer.Step;
import io.penstock.cluster.model.StopBounds.May;
import io.penstock.cluster.model.StopState.Draft;
import io.penstock.cluster.model.StopState.Order;
import io.penstock.cluster.model.StopState.Replica;
import io.penstock.cluster.model.StopState.Whole;
import java.util.Set;

/**
 * What one run of {@link StopModel} goes by.
 *
 * @param lateSendsCount a send whose process stood still between check and write is a violation too
 */
record StopRules(StopBounds bounds, Set<DroppedStep> dropped, boolean lateSendsCount) {
    StopRules {
        dropped = Set.copyOf(dropped);
    }

    boolean may(May what) {
        return bounds.may().contains(what);
    }

    boolean keeps(DroppedStep step) {
        return !dropped.contains(step);
    }

    boolean drops(DroppedStep step) {
        return dropped.contains(step);
    }

    /** Ticks that a replica trusts for. */
    int trust(boolean longLease) {
        if (drops(DroppedStep.NO_MARGIN)) {
            return bounds.patience();
        }
        return longLease ? bounds.trust() : 1;
    }

    /** Whether an acknowledgement of that replica is what the order waits for. */
    boolean acknowledged(Draft d, int r, int o) {
        int epoch = d.get(r, Replica.ACKNOWLEDGED);
        return epoch >= d.get(o, Order.EPOCH)
                || epoch > 0 && drops(DroppedStep.ACKNOWLEDGED_ANY_EPOCH);
    }

    /** Whether a stop that covers the calls is confirmed, and nobody lifts it. */
    boolean forbidden(StopState s) {
        for (int o = 0; o < bounds.orders(); o++) {
            if (s.get(o, Order.PHASE) == CONFIRMED
                    && (bounds.matching() & 1 << o) != 0
                    && (s.get(Whole.TO_LIFT) & 1 << o) == 0) {
                return true;
            }
        }
        return false;
    }

    Step<StopState> step(String name, Draft next) {
        return new Step<>(name, done(next));
    }

    /** Traces of variants keep who is who. */
    StopState done(Draft draft) {
        return draft.done(dropped.isEmpty() && !lateSendsCount);
    }
}

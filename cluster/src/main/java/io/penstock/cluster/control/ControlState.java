package io.penstock.cluster.control;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control state as one database snapshot holds it.
 *
 * @param server the one that it was read from
 * @param stops active ones, or null: unchanged, because the epoch is the installed one
 * @param blocks null: none changed since the installed epoch
 */
record ControlState(
        Lease.Server server,
        long epoch,
        long revision,
        long keysVersion,
        @Nullable List<Stop> stops,
        @Nullable List<Block> blocks) {

    boolean unchanged() {
        return stops == null;
    }
}

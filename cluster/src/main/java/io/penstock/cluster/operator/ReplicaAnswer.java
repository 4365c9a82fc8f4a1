package io.penstock.cluster.operator;

import java.time.Duration;
import java.util.Locale;
import java.util.UUID;

/**
 * What became of an order on one replica.
 *
 * @param after since the order was sent, on the operator's own clock
 * @param cut calls and streams that were cut
 * @param open matching calls and streams that are still open there
 */
public record ReplicaAnswer(
        String replica, UUID incarnation, Kind kind, Duration after, int cut, int open) {

    /** How the replica is known to be closed, if it is. */
    public enum Kind {
        /** It said so itself. */
        ACKED,
        /** It said nothing, but whatever lease it had must be over. */
        FENCED,
        /** It said nothing yet, and may still have a lease. */
        SILENT
    }

    /** The line for people: {@code acked in 3 ms} or {@code silent, fenced after 1.0 s}. */
    public String text() {
        return switch (kind) {
            case ACKED -> "acked in " + after.toMillis() + " ms" + counts();
            case FENCED -> "silent, fenced after " + seconds();
            case SILENT -> "silent for " + seconds() + ", may still hold a lease";
        };
    }

    private String counts() {
        String text = cut == 0 ? "" : ", cut " + cut;
        return open == 0 ? text : text + ", " + open + " still open";
    }

    private String seconds() {
        return String.format(Locale.ROOT, "%.1f s", after.toMillis() / 1000.0);
    }
}

package io.penstock.cluster.journal;

import java.util.UUID;

/**
 * How an admitted call ended.
 *
 * @param admittedMicros the database time of its admission, microseconds since 1970
 * @param kind the word that stands in the journal
 * @param status the HTTP status the upstream answered with, 0 if it did not
 * @param responseBytes body bytes passed to the client
 * @param durationMicros from arrival to end on the replica's monotonic clock
 */
public record Outcome(
        UUID call,
        long admittedMicros,
        Kind kind,
        int status,
        long responseBytes,
        long durationMicros) {

    /** How it ended. */
    public enum Kind {
        COMPLETED("completed"),
        UPSTREAM_FAILED("upstream-failed"),
        CLIENT_GONE("client-gone"),
        CUT("cut"),
        NOT_SENT("not-sent");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }
}

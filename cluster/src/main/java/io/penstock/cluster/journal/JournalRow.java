package io.penstock.cluster.journal;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row about calls that were not let through, or about the writer itself.
 *
 * @param atNanos when, on the monotonic clock
 */
record JournalRow(
        Kind kind,
        long atNanos,
        @Nullable UUID call,
        @Nullable String tenant,
        @Nullable String agent,
        @Nullable String server,
        @Nullable String tool,
        String code,
        @Nullable String budget,
        long count,
        @Nullable String reason) {

    enum Kind {
        REFUSAL("refusal"),
        REFUSALS("refusals"),
        CONTROL("control");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** Stands in a row that counts the agents beyond the bound. */
    static final String OTHERS = "other";

    static JournalRow of(RefusalTally.Single single) {
        RefusalEntry e = single.entry();
        return new JournalRow(
                Kind.REFUSAL,
                single.atNanos(),
                e.call(),
                e.subject().tenant(),
                e.subject().agent(),
                e.subject().server(),
                e.subject().tool(),
                e.code(),
                e.budget(),
                1,
                null);
    }

    static JournalRow of(Tally.Row row, long startNanos) {
        Tally.Key key = row.key();
        return new JournalRow(
                Kind.REFUSALS,
                startNanos,
                null,
                key == null ? null : key.tenant(),
                key == null ? null : key.agent(),
                null,
                null,
                row.code(),
                key == null ? null : key.budget(),
                row.count(),
                key == null ? OTHERS : null);
    }

    static JournalRow control(String code, long atNanos, long count, @Nullable String reason) {
        return new JournalRow(
                Kind.CONTROL, atNanos, null, null, null, null, null, code, null, count, reason);
    }
}

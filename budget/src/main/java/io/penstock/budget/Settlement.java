package io.penstock.budget;

import java.util.List;
import java.util.UUID;

/**
 * What comes back to the ledger after calls: units of those that were admitted and never sent, and
 * what became of holds. One transaction.
 *
 * @param seq number on its lane, from the same row of numbers as its batches
 * @param refunds plain charges of calls that were never sent; each counter and window once
 * @param unsent those calls, for the journal
 * @param holds each hold once
 */
public record Settlement(
        long seq, int waitMillis, List<Refund> refunds, List<Unsent> unsent, List<Settled> holds) {

    /** Without holds. */
    public Settlement(long seq, int waitMillis, List<Refund> refunds, List<Unsent> unsent) {
        this(seq, waitMillis, refunds, unsent, List.of());
    }

    /** The same under another number. */
    public Settlement withSeq(long number) {
        return new Settlement(number, waitMillis, refunds, unsent, holds);
    }

    /**
     * Units of one counter; they go back only while they still count.
     *
     * @param index the window that was charged, as {@link BudgetLedger.Level} named it
     */
    public record Refund(Counter counter, long index, long amount) {}

    /**
     * @param admittedMicros the ledger's clock when it was admitted
     */
    public record Unsent(UUID call, long admittedMicros) {}

    /**
     * One hold's end. A hold that is gone already is left alone, so a repeat changes nothing.
     *
     * @param actual units that the call cost; what was held for {@link Fate#IN_FULL} is known to
     *     the ledger, and this number is not used
     */
    public record Settled(UUID call, Counter counter, long actual, Fate fate) {}

    /** How a hold ends. */
    public enum Fate {
        /** The real amount is known and not above what was held. */
        SETTLED("settled"),
        /** The real amount is not known: all that was held is spent. */
        IN_FULL("in-full"),
        /** The call never left, or held a slot and is over: nothing is spent. */
        RELEASED("released"),
        /** The real amount is above what was held. */
        OVERRUN("overrun");

        private final String label;

        Fate(String label) {
            this.label = label;
        }

        /** The word that stands in the journal. */
        public String label() {
            return label;
        }
    }
}

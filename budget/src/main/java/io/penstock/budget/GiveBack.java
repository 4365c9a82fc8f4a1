package io.penstock.budget;

import java.util.List;
import java.util.UUID;

/**
 * Calls that were admitted and never sent, with what they took.
 *
 * @param seq number on its lane, from the same row of numbers as its batches
 * @param refunds each counter and window once
 * @param calls the calls, for the journal
 */
public record GiveBack(long seq, int waitMillis, List<Refund> refunds, List<Unsent> calls) {

    /**
     * Units of one counter; they go back only while that window is still the counter's window.
     *
     * @param index the window that was charged
     */
    public record Refund(Counter counter, long index, long amount) {}

    /**
     * @param admittedMicros the ledger's clock when it was admitted
     */
    public record Unsent(UUID call, long admittedMicros) {}
}

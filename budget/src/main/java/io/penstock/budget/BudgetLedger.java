package io.penstock.budget;

import java.util.List;

/**
 * Where budget state lives, as one lane sees it: decides whole batches, each exactly once.
 *
 * <p><b>Guarantee.</b> For every counter that enforces, and every window, the units charged and not
 * given back never exceed the limit that the batch named, whatever other lanes do. A batch charges
 * each of its calls all or nothing. What was answered {@link Decided} is durable, intents included.
 *
 * <p><b>Failure.</b> {@link Failed}, {@link Late}, {@link Replan} and {@link Superseded} charged
 * nothing. After {@link Unknown} the batch may or may not have been charged: resolve it before
 * anything else on this lane.
 *
 * <p><b>Threads.</b> Used by one thread at a time.
 */
public interface BudgetLedger extends AutoCloseable {

    /** The last number that was used on this lane before it was opened. */
    long lastSeq();

    /** Decides one batch. */
    Answer admit(Batch batch);

    /**
     * Undoes a batch whose answer was lost: units go back, and if it has not arrived yet it never
     * will. Repeating it changes nothing.
     */
    Resolution resolve(Batch batch);

    /**
     * Returns the units of calls that were admitted and never sent, ends holds, and journals both.
     * Repeating it changes nothing.
     */
    Return settle(Settlement settlement);

    @Override
    void close();

    /** The answer to {@link #admit}. */
    sealed interface Answer {}

    /** The answer to {@link #resolve}. */
    sealed interface Resolution {}

    /** The answer to {@link #settle}. */
    sealed interface Return {}

    /** What can come of anything that is asked. */
    sealed interface Trouble extends Answer, Resolution, Return {}

    /**
     * Charged and durable.
     *
     * @param atMicros the ledger's clock, microseconds since 1970
     * @param lockWaitMicros how long it waited for others
     * @param admitted how many calls of each group, in the batch's order
     * @param levels one per demand, in the batch's order
     */
    record Decided(long atMicros, long lockWaitMicros, int[] admitted, List<Level> levels)
            implements Answer {}

    /**
     * A counter after a batch.
     *
     * @param index the window that was charged
     * @param left units left in it, 0 or more
     * @param charged units that this batch took
     * @param held units of it that are held by calls in flight
     * @param backMicros until units come back by themselves, from the ledger's clock; -1 = never
     */
    record Level(long index, long left, long charged, long held, long backMicros) {}

    /** The control epoch is another one: judge the calls again and ask again with a new number. */
    record Replan() implements Answer {}

    /** It waited longer for locks than it may. */
    record Late(long lockWaitMicros) implements Answer {}

    /** This lane's number was used already, or its incarnation is over. */
    record Superseded() implements Trouble {}

    /**
     * The ledger refused to work, and nothing was changed.
     *
     * @param reconnect whether this connection is of no further use
     */
    record Failed(String reason, boolean reconnect) implements Trouble {}

    /** The answer was lost. */
    record Unknown(String reason) implements Trouble {}

    /**
     * The batch is undone.
     *
     * @param applied whether it had been charged
     */
    record Resolved(boolean applied) implements Resolution {}

    /** It is done, now or since an earlier attempt with the same number. */
    record Returned() implements Return {}
}

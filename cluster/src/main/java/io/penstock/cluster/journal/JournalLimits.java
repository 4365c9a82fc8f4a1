package io.penstock.cluster.journal;

import java.util.concurrent.TimeUnit;

/**
 * The journal's bounds.
 *
 * @param outcomesWaitingMax outcomes in memory; beyond, they are counted by kind
 * @param batchMax rows in one statement
 * @param flushNanos how long an entry waits for company
 * @param slotNanos the span that refusals are counted over
 * @param singlesMax refusals in a span that have rows of their own
 * @param singlesWaitingMax such rows in memory; beyond, they are counted
 * @param rowsMax rows of a span that name an agent
 * @param talliesMax spans in memory while the database is away; beyond, the oldest are joined
 */
record JournalLimits(
        int outcomesWaitingMax,
        int batchMax,
        long flushNanos,
        long slotNanos,
        int singlesMax,
        int singlesWaitingMax,
        int rowsMax,
        int talliesMax) {

    /**
     * Half a second of refusals and a tenth of waiting leave time for a commit within the second
     * that is promised. 100,000 outcomes are about 10 MB, and more calls than a replica has open;
     * 120 spans of 500 rows are a minute at the worst, and hours with few agents.
     */
    static final JournalLimits DEFAULT =
            new JournalLimits(
                    100_000,
                    1_024,
                    TimeUnit.MILLISECONDS.toNanos(100),
                    TimeUnit.MILLISECONDS.toNanos(500),
                    50,
                    10_000,
                    500,
                    120);
}

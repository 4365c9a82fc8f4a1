package io.penstock.cluster.alert;

import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;

/**
 * A batch took a counter past a share of its limit.
 *
 * @param index the window
 * @param used units in it after the batch
 */
public record Crossing(Counter counter, long index, int percent, long used) {

    /** Hears of crossings; must not block. */
    @FunctionalInterface
    public interface Sink {
        void crossed(Crossing crossing);
    }

    /** Tells of every share that this batch took the counter past. */
    public static void look(Counter counter, Level level, Sink sink) {
        if (counter.budget().notifyAt().isEmpty()
                || level.charged() == 0
                || counter.budget().mode() == Mode.SHADOW) {
            return;
        }
        long limit = counter.limit();
        long used = limit - level.left();
        long before = used - level.charged();
        for (int percent : counter.budget().notifyAt()) {
            long threshold = threshold(limit, percent);
            if (before < threshold && threshold <= used) {
                sink.crossed(new Crossing(counter, level.index(), percent, used));
            }
        }
    }

    /** The least number of units that is that share, without overflow. */
    static long threshold(long limit, int percent) {
        return limit / 100 * percent + Math.ceilDiv(limit % 100 * percent, 100);
    }
}

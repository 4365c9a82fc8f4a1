package io.penstock.cluster.control;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Calls per second over at least the last second.
 *
 * <p><b>Threads.</b> Confined to the lease's thread.
 */
final class CallRate {
    private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier total;
    private long sinceNanos;
    private long sinceTotal;
    private int perSecond;

    CallRate(LongSupplier total, long nowNanos) {
        this.total = total;
        sinceNanos = nowNanos;
        sinceTotal = total.getAsLong();
    }

    int perSecond(long nowNanos) {
        long span = nowNanos - sinceNanos;
        if (span >= SPAN_NANOS) {
            long now = total.getAsLong();
            long rounded = (now - sinceTotal + span / SPAN_NANOS / 2) * SPAN_NANOS / span;
            perSecond = Math.clamp(rounded, 0, Integer.MAX_VALUE);
            sinceNanos = nowNanos;
            sinceTotal = now;
        }
        return perSecond;
    }
}

package io.penstock.gateway.upstream;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.function.LongSupplier;

/**
 * A clock that only measures: it begins at 1970 and goes on with a monotonic ticker, so that a step
 * of the wall clock neither holds a circuit open nor opens one.
 */
final class TickerClock extends Clock {
    private final LongSupplier nanos;
    private final long startNanos;

    TickerClock(LongSupplier nanos) {
        this.nanos = nanos;
        startNanos = nanos.getAsLong();
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }

    @Override
    public long millis() {
        return (nanos.getAsLong() - startNanos) / 1_000_000;
    }

    @Override
    public Instant instant() {
        long elapsed = nanos.getAsLong() - startNanos;
        return Instant.ofEpochSecond(elapsed / 1_000_000_000, elapsed % 1_000_000_000);
    }
}

package io.penstock.gateway.call;

import java.time.InstantSource;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Makes call ids: unique over all replicas without asking anybody, and in the order of time, so
 * that rows keyed by them stay together.
 *
 * <p><b>Threads.</b> As safe as the generator that it is given.
 *
 * <p><b>Source.</b> UUID version 7, RFC 9562, section 5.7: 48 bits of milliseconds, 74 random bits.
 */
public final class CallIds implements Supplier<UUID> {
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final Supplier<RandomGenerator> random;

    /**
     * @param random asked for each id, so that a generator can belong to the thread
     */
    public CallIds(InstantSource clock, Supplier<RandomGenerator> random) {
        this.clock = clock;
        this.random = random;
    }

    @Override
    public UUID get() {
        RandomGenerator generator = random.get();
        long high = (clock.millis() << 16) | VERSION | (generator.nextLong() & 0xfff);
        long low = (generator.nextLong() >>> 2) | VARIANT;
        return new UUID(high, low);
    }
}

package io.penstock.budget;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What calls have cost of late, by price: what a budget with {@link Reserve#ADAPTIVE} holds for the
 * next one.
 *
 * <p><b>Guarantee.</b> At least 1 and at most the price's maximum; the maximum until {@value
 * #SAMPLES_LEAST} calls were settled, and again after another revision was applied. Otherwise what
 * 19 of the last {@value #SAMPLES} calls' 20 stayed within, rounded up to three decimal digits, so
 * that it moves seldom and calls can still be decided in groups. In one window a budget can be
 * overdrawn by at most the sum of the maximum minus what was held, over the window's calls that
 * were not yet settled right after its last admission: an admission needs room for what it holds,
 * and only settling such a call can add more. What calls cost above their price's maximum comes on
 * top.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> A look-up to ask; a sort of {@value #SAMPLES} numbers for every 16th call to
 * learn. One entry for each price that is used, so bounded by {@link PriceList#PRICES_MAX}.
 */
final class Reserves {
    static final int SAMPLES = 256;
    static final int SAMPLES_LEAST = 20;
    private static final int SORT_EVERY = 16;

    private final Map<Price, Recent> prices = new ConcurrentHashMap<>();
    private final AtomicInteger stamp = new AtomicInteger();

    /** The last amounts of one price. */
    private static final class Recent {
        private final long[] amounts = new long[SAMPLES];
        private long count;
        private volatile long reserve;

        Recent(long max) {
            reserve = max;
        }

        /** Whether the reserve has moved. */
        synchronized boolean learn(long amount, long max) {
            amounts[(int) (count++ % SAMPLES)] = amount;
            if (count < SAMPLES_LEAST || (count > SAMPLES_LEAST && count % SORT_EVERY != 0)) {
                return false;
            }
            long[] sorted = Arrays.copyOf(amounts, (int) Math.min(count, SAMPLES));
            Arrays.sort(sorted);
            long next = Math.clamp(rounded(sorted[(sorted.length * 19 + 19) / 20 - 1]), 1, max);
            boolean moved = next != reserve;
            reserve = next;
            return moved;
        }
    }

    /** Up to three digits, never down. */
    static long rounded(long amount) {
        long step = 1;
        while (amount / step >= 1_000) {
            step *= 10;
        }
        return Math.ceilDiv(amount, step) * step;
    }

    /** What to hold for a call of that price now. */
    long of(Price price) {
        Recent recent = prices.get(price);
        return recent == null ? price.amount().max() : recent.reserve;
    }

    /** A call of that price has cost that much. */
    void learn(Price price, long amount) {
        long max = price.amount().max();
        if (prices.computeIfAbsent(price, _ -> new Recent(max)).learn(amount, max)) {
            stamp.incrementAndGet();
        }
    }

    /** Another number whenever any of them has moved. */
    int stamp() {
        return stamp.get();
    }
}

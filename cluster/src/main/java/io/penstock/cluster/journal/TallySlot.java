package io.penstock.cluster.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * The refusals of the current span of time, counted by many threads at once.
 *
 * <p>A thread counts between {@link #enter} and {@link #leave}, and only if the slot is still the
 * current one after it entered. Once the slot has been replaced and is {@link #quiet}, nobody
 * counts in it any more: its sums are exact. Two counters that only rise, {@code left} read before
 * {@code entered}; one that goes up and down shows false zeros.
 */
final class TallySlot {
    private final long startNanos;
    private final int rowsMax;
    private final int singlesMax;
    private final Map<Tally.Key, LongAdder> named = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> others = new ConcurrentHashMap<>();
    private final AtomicInteger rows = new AtomicInteger();
    private final AtomicInteger singles = new AtomicInteger();
    private final LongAdder entered = new LongAdder();
    private final LongAdder left = new LongAdder();

    TallySlot(long startNanos, int rowsMax, int singlesMax) {
        this.startNanos = startNanos;
        this.rowsMax = rowsMax;
        this.singlesMax = singlesMax;
    }

    long startNanos() {
        return startNanos;
    }

    void enter() {
        entered.increment();
    }

    void leave() {
        left.increment();
    }

    boolean quiet() {
        long leftBefore = left.sum();
        return entered.sum() == leftBefore;
    }

    /** Whether one more refusal of this span may have a row of its own. */
    boolean mayStandAlone() {
        return singles.get() < singlesMax && singles.incrementAndGet() <= singlesMax;
    }

    void count(Tally.Key key) {
        LongAdder counter = named.get(key);
        if (counter == null) {
            counter = newCounter(key);
        }
        counter.increment();
    }

    private LongAdder newCounter(Tally.Key key) {
        if (rows.incrementAndGet() > rowsMax) {
            rows.decrementAndGet();
            return others.computeIfAbsent(key.code(), _ -> new LongAdder());
        }
        LongAdder fresh = new LongAdder();
        LongAdder there = named.putIfAbsent(key, fresh);
        if (there == null) {
            return fresh;
        }
        rows.decrementAndGet();
        return there;
    }

    /** The sums, once the slot is quiet and will stay so. */
    Tally tally() {
        Tally tally = new Tally(startNanos, rowsMax);
        named.forEach((key, count) -> tally.add(key, count.sum()));
        others.forEach((code, count) -> tally.addOther(code, count.sum()));
        return tally;
    }
}

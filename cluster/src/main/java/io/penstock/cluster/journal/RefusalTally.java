package io.penstock.cluster.journal;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Takes refusals from every thread: the first of a span of time alone, the rest as counts.
 *
 * <p><b>Guarantee.</b> Every refusal is in exactly one answer: in {@link #singles}, or once in one
 * of {@link #ended}'s tallies. Memory is bounded by the caller's {@code ended} calls and the bounds
 * of a slot, however many refusals there are.
 *
 * <p><b>Threads.</b> {@link #count} by any; the others by one. No locks.
 *
 * <p><b>Cost.</b> About as much as a look-up in a hash map.
 */
final class RefusalTally {
    /** A refusal and when it came, on the monotonic clock. */
    record Single(RefusalEntry entry, long atNanos) {}

    private final JournalLimits limits;
    private final LongSupplier nanos;
    private final Arrivals<Single> singles;
    private final AtomicReference<TallySlot> current;
    private final Queue<TallySlot> over = new ConcurrentLinkedQueue<>();

    RefusalTally(JournalLimits limits, LongSupplier nanos) {
        this.limits = limits;
        this.nanos = nanos;
        singles = new Arrivals<>(limits.singlesWaitingMax());
        current = new AtomicReference<>(slot(nanos.getAsLong()));
    }

    void count(RefusalEntry entry) {
        while (true) {
            long now = nanos.getAsLong();
            TallySlot slot = current.get();
            if (now - slot.startNanos() >= limits.slotNanos()) {
                replace(slot, now);
                continue;
            }
            slot.enter();
            try {
                if (slot == current.get()) {
                    countIn(slot, entry, now);
                    return;
                }
            } finally {
                slot.leave();
            }
        }
    }

    private void countIn(TallySlot slot, RefusalEntry entry, long now) {
        if (!slot.mayStandAlone() || singles.add(new Single(entry, now)) == 0) {
            slot.count(Tally.Key.of(entry));
        }
    }

    /** Refusals that stand alone, since the last call. */
    List<Single> singles() {
        return singles.takeAll();
    }

    /**
     * The tallies of spans that are over and that nobody counts in any more.
     *
     * @param early also of the span that goes on
     */
    List<Tally> ended(boolean early) {
        long now = nanos.getAsLong();
        TallySlot slot = current.get();
        if (early || now - slot.startNanos() >= limits.slotNanos()) {
            replace(slot, now);
        }
        List<Tally> ended = new ArrayList<>();
        for (Iterator<TallySlot> slots = over.iterator(); slots.hasNext(); ) {
            TallySlot candidate = slots.next();
            if (candidate.quiet()) {
                slots.remove();
                Tally tally = candidate.tally();
                if (!tally.empty()) {
                    ended.add(tally);
                }
            }
        }
        return ended;
    }

    /** Whether every span but the current one has been given out. */
    boolean settled() {
        return over.isEmpty();
    }

    private void replace(TallySlot slot, long now) {
        if (current.compareAndSet(slot, slot(now))) {
            over.add(slot);
        }
    }

    private TallySlot slot(long startNanos) {
        return new TallySlot(startNanos, limits.rowsMax(), limits.singlesMax());
    }
}

package io.penstock.budget;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which counters are used up, so that a call that must be refused costs no work in the
 * ledger.
 *
 * <p><b>Guarantee.</b> Never refuses in a window that began after the one that was asked, nor, of a
 * sliding window or a rate, once the first unit has come back: everything counts from the moment
 * the request was <em>sent</em>, so a memory can only end early. One second after it was sent, one
 * call asks the ledger again (units can come back), while others are still refused until that one's
 * answer can be there.
 *
 * <p><b>Units.</b> Nanoseconds on the caller's monotonic clock.
 *
 * <p><b>Threads.</b> Safe for concurrent use, without locks on a look-up. Bounded: under a flood of
 * exhausted counters the least recently used are forgotten, which costs a question to the ledger.
 */
public final class DenialMemory {
    static final int COUNTERS_MAX = 32_768;
    private static final long TRUST_NANOS = 1_000_000_000L;
    private static final long ANSWER_NANOS = 250_000_000L;
    private static final long ENDLESS_NANOS = Long.MAX_VALUE / 4;

    private final RecentMap<String, Denial> denials;

    public DenialMemory() {
        this(COUNTERS_MAX);
    }

    DenialMemory(int countersMax) {
        denials = new RecentMap<>(countersMax);
    }

    /** One counter with too little left, under one epoch. */
    private record Denial(
            long epoch, long index, long left, long sentNanos, long endsNanos, AtomicLong ask) {

        boolean speaksFor(long amount, long epochNow, long nowNanos) {
            return epoch == epochNow && amount > left && nowNanos - endsNanos < 0;
        }

        boolean fresh(long nowNanos) {
            return nowNanos - ask.get() < 0;
        }

        /** Past its time it lets one caller through, and speaks on until that one's answer. */
        boolean mayAsk(long nowNanos) {
            long due = ask.get();
            return nowNanos - due >= 0 && ask.compareAndSet(due, nowNanos + ANSWER_NANOS);
        }
    }

    /**
     * Keeps what an answer said of a counter: that it is used up, or that it is not any more.
     *
     * @param shortOf whether a call was refused because of it
     * @param sentNanos when the request left
     */
    public void learn(
            Counter counter,
            long epoch,
            BudgetLedger.Level level,
            boolean shortOf,
            long sentNanos) {
        boolean used = remembered(counter, level) && (level.left() == 0 || shortOf);
        if (!used && denials.isEmpty()) {
            return;
        }
        Denial known = denials.get(counter.key());
        if (known != null && (known.index() > level.index() || known.sentNanos() > sentNanos)) {
            return;
        }
        if (used) {
            long ends = sentNanos + endsInNanos(level);
            AtomicLong ask = new AtomicLong(sentNanos + TRUST_NANOS);
            denials.put(
                    counter.key(),
                    new Denial(epoch, level.index(), level.left(), sentNanos, ends, ask));
        } else if (known != null) {
            denials.remove(counter.key(), known);
        }
    }

    /**
     * Only while nothing is held of it: what is held may come back at any time. A session's window
     * ends by itself earlier than its length after the question, and a slot whenever a call ends.
     */
    private static boolean remembered(Counter counter, BudgetLedger.Level level) {
        return !counter.shadow()
                && level.held() == 0
                && switch (counter.budget().window()) {
                    case Window.Fixed _,
                            Window.Calendar _,
                            Window.Lifetime _,
                            Window.Sliding _,
                            Window.Rate _ ->
                            true;
                    case Window.Session _, Window.Open _ -> false;
                };
    }

    /** A window without an end is trusted for a second like any other, and asked for again. */
    private static long endsInNanos(BudgetLedger.Level level) {
        return level.backMicros() < 0
                ? ENDLESS_NANOS
                : Math.min(ENDLESS_NANOS / 1_000, level.backMicros()) * 1_000;
    }

    /**
     * The counter that surely has too little left for this claim and frees last, or null where the
     * ledger must be asked.
     */
    public @Nullable Standing refusal(Claim claim, long epoch, long nowNanos) {
        if (denials.isEmpty()) {
            return null;
        }
        Standing last = null;
        boolean due = false;
        for (int i = 0; i < claim.charges().size(); i++) {
            Charge charge = claim.charges().get(i);
            Denial denial = denials.get(charge.counter().key());
            if (denial == null || !denial.speaksFor(charge.amount(), epoch, nowNanos)) {
                continue;
            }
            if (!denial.fresh(nowNanos)) {
                due = true;
            } else if (last == null || standing(charge, denial, nowNanos).endsAfter(last)) {
                last = standing(charge, denial, nowNanos);
            }
        }
        return last == null && due ? refusalUnlessFirst(claim, epoch, nowNanos) : last;
    }

    private @Nullable Standing refusalUnlessFirst(Claim claim, long epoch, long nowNanos) {
        for (int i = 0; i < claim.charges().size(); i++) {
            Charge charge = claim.charges().get(i);
            Denial denial = denials.get(charge.counter().key());
            if (denial != null
                    && denial.speaksFor(charge.amount(), epoch, nowNanos)
                    && !denial.mayAsk(nowNanos)) {
                return standing(charge, denial, nowNanos);
            }
        }
        return null;
    }

    /** Drops everything: the ledger is another one now. */
    public void clear() {
        denials.clear();
    }

    int size() {
        return denials.size();
    }

    private static Standing standing(Charge charge, Denial denial, long nowNanos) {
        long endsInMicros =
                charge.counter().budget().window() instanceof Window.Lifetime
                        ? -1
                        : (denial.endsNanos() - nowNanos) / 1_000;
        return new Standing(charge.counter(), denial.left(), endsInMicros, charge.amount());
    }
}

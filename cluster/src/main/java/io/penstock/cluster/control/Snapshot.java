package io.penstock.cluster.control;

import io.penstock.budget.Subject;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * One version of the control state, with the count of sends that are being made under it.
 *
 * <p><b>Guarantee.</b> Only {@link #trust} extends the lease, and only for this snapshot. {@link
 * #quiet} is true only if at some moment during the call no send section of this snapshot was open.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Source.</b> Protocol page, sections 2 and 3: two counters that only rise, {@code left} read
 * before {@code entered}; one counter that goes up and down shows false zeros.
 */
public final class Snapshot {
    private final long epoch;
    private final Rules rules;
    private final List<Stop> stops;
    private final List<Block> blocks;
    private final KeyRing keys;
    private final LongAdder entered = new LongAdder();
    private final LongAdder left = new LongAdder();
    private volatile long trustedUntilNanos;
    private volatile long notAfterMillis;

    public Snapshot(
            long epoch,
            Rules rules,
            List<Stop> stops,
            List<Block> blocks,
            KeyRing keys,
            long trustedUntilNanos) {
        this.epoch = epoch;
        this.rules = rules;
        this.stops = List.copyOf(stops);
        this.blocks = List.copyOf(blocks);
        this.keys = keys;
        this.trustedUntilNanos = trustedUntilNanos;
    }

    public long epoch() {
        return epoch;
    }

    public Rules rules() {
        return rules;
    }

    public List<Stop> stops() {
        return stops;
    }

    public List<Block> blocks() {
        return blocks;
    }

    public KeyRing keys() {
        return keys;
    }

    /**
     * What this state says of a call at that moment of the monotonic clock: stop, then lease, then
     * block.
     */
    public Judgement judge(Subject subject, long nowNanos) {
        for (int i = 0; i < stops.size(); i++) {
            if (stops.get(i).scope().matches(subject)) {
                return new Judgement.Stopped(stops.get(i));
            }
        }
        if (nowNanos - trustedUntilNanos >= 0) {
            return Judgement.STALE;
        }
        for (int i = 0; i < blocks.size(); i++) {
            Block block = blocks.get(i);
            if (block.agent().equals(subject.agent())
                    && block.tenant().equals(subject.tenant())
                    && nowNanos - block.untilNanos() < 0) {
                return new Judgement.Blocked(block);
            }
        }
        return Judgement.CLEAR;
    }

    public long trustedUntilNanos() {
        return trustedUntilNanos;
    }

    /**
     * The database's time of the beat that the lease rests on, plus P, in milliseconds since 1970:
     * a send under this lease that arrives later can be refused by the upstream.
     */
    public long notAfterMillis() {
        return notAfterMillis;
    }

    /**
     * Extends the lease of this snapshot; never shortens it. Called by the lease's own thread
     * alone.
     */
    void trust(long untilNanos, long untilDatabaseMillis) {
        if (untilNanos - trustedUntilNanos > 0) {
            trustedUntilNanos = untilNanos;
            notAfterMillis = untilDatabaseMillis;
        }
    }

    /** Ends the lease at once. */
    void distrust(long nowNanos) {
        trustedUntilNanos = nowNanos;
    }

    void enter() {
        entered.increment();
    }

    /** Ends a send section that {@link ControlView#enter} began. */
    public void leave() {
        left.increment();
    }

    boolean quiet() {
        long leftBefore = left.sum();
        return entered.sum() == leftBefore;
    }
}

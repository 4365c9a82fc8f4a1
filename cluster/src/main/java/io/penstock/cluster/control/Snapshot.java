package io.penstock.cluster.control;

import io.penstock.budget.Subject;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One version of the control state, with the count of sends that are being made under it.
 *
 * <p><b>Guarantee.</b> Only {@link #trust} extends the lease, and only for this snapshot. {@link
 * #quiet} is true only if at some moment during the call no send section of this snapshot was open.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> {@link #judge} takes the same time whatever the number of stops and blocks, and
 * allocates nothing.
 *
 * <p><b>Source.</b> Protocol page, sections 2 and 3: two counters that only rise, {@code left} read
 * before {@code entered}; one counter that goes up and down shows false zeros.
 */
public final class Snapshot {
    private final long epoch;
    private final Content content;
    private final StopIndex stopIndex;
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
        this(epoch, new Content(rules, stops, new BlockIndex(blocks), keys, -1), trustedUntilNanos);
    }

    private Snapshot(long epoch, Content content, long trustedUntilNanos) {
        this.epoch = epoch;
        this.content = content;
        this.stopIndex = new StopIndex(content.stops());
        this.trustedUntilNanos = trustedUntilNanos;
    }

    /** What a snapshot holds beside its epoch and its lease. */
    record Content(
            Rules rules, List<Stop> stops, BlockIndex blocks, KeyRing keys, long keysVersion) {
        Content {
            stops = List.copyOf(stops);
        }
    }

    /** A newer state under the lease of this one: it inherits what is left, never more. */
    Snapshot successor(long newEpoch, Content newContent) {
        Snapshot next = new Snapshot(newEpoch, newContent, trustedUntilNanos);
        next.notAfterMillis = notAfterMillis;
        return next;
    }

    public long epoch() {
        return epoch;
    }

    public Rules rules() {
        return content.rules();
    }

    public List<Stop> stops() {
        return content.stops();
    }

    public List<Block> blocks() {
        return content.blocks().blocks();
    }

    Content content() {
        return content;
    }

    public KeyRing keys() {
        return content.keys();
    }

    /**
     * What this state says of a call at that moment of the monotonic clock: stop, then lease, then
     * block.
     */
    public Judgement judge(Subject subject, long nowNanos) {
        Judgement.Stopped stopped = stopIndex.find(subject);
        if (stopped != null) {
            return stopped;
        }
        if (!trusted(nowNanos)) {
            return Judgement.STALE;
        }
        Judgement.Blocked blocked = content.blocks().find(subject, nowNanos);
        return blocked == null ? Judgement.CLEAR : blocked;
    }

    /** The stop that stands against a call: one that cuts before one that drains; or null. */
    public @Nullable Stop stopAgainst(Subject subject) {
        Judgement.Stopped stopped = stopIndex.find(subject);
        return stopped == null ? null : stopped.stop();
    }

    /** The stop that stands against every call, or null. */
    public @Nullable Stop stopOfEverything() {
        Judgement.Stopped stopped = stopIndex.everything();
        return stopped == null ? null : stopped.stop();
    }

    /** Whether the lease lasts at that moment. */
    public boolean trusted(long nowNanos) {
        return nowNanos - trustedUntilNanos < 0;
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
    void trust(long untilNanos, long notAfter) {
        if (untilNanos - trustedUntilNanos > 0) {
            notAfterMillis = notAfter;
            trustedUntilNanos = untilNanos;
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

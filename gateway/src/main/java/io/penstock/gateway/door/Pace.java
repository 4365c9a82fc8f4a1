package io.penstock.gateway.door;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.socket.PolledChannel;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long one connection may take for what it is doing, and its cut.
 *
 * <p>A virtual thread that reads with a timeout costs a timer each time. So nothing here waits: the
 * connection notes what it does since when, and the {@link Sweeper} cuts what is overdue by closing
 * the plain socket below any TLS, which wakes reader and writer and never blocks.
 *
 * <p>A request that is overdue can be answered before: {@link #whenLate}. Who comes first, the last
 * byte or the sweeper, is decided by one exchange of {@code deadline}, so that a request is either
 * served or told that it came too late.
 *
 * <p><b>Threads.</b> The connection's own thread; {@link #wake}, {@link #cut} and {@link #sweep}
 * any.
 */
final class Pace {
    /** A write of a call that was woken may take this long more, so that a last event gets out. */
    static final long WOKEN_WRITE_NANOS = 50_000_000L;

    /** A call that takes longer is watched for its client going away; faster ones pay nothing. */
    static final long WATCH_AFTER_NANOS = 50_000_000L;

    /** An answer to an overdue request, and what the client still sends, have this long. */
    static final long LATE_NANOS = 2_000_000_000L;

    private static final long NEVER = Long.MIN_VALUE;

    /** What a connection is doing. */
    enum Phase {
        IDLE("idle"),
        HEADER("header"),
        BODY("body"),
        CALL("call"),
        LINGER("linger");

        private final String label;

        Phase(String label) {
            this.label = label;
        }
    }

    private final PolledChannel channel;
    private final LimitsConfig limits;
    private final LongSupplier ticker;
    private final DoorEvents events;
    private volatile Phase phase = Phase.IDLE;
    private final AtomicLong deadline = new AtomicLong(NEVER);
    private volatile @Nullable Runnable whenLate;
    private volatile long writeSince = NEVER;
    private volatile long wokenAt = NEVER;
    private volatile long callSince = NEVER;
    private volatile long blockDeadline = NEVER;
    private volatile boolean cut;

    /** What the connection's own thread set last; another value in {@code deadline} means late. */
    private long mine = NEVER;

    Pace(PolledChannel channel, LimitsConfig limits, LongSupplier ticker, DoorEvents events) {
        this.channel = channel;
        this.limits = limits;
        this.ticker = ticker;
        this.events = events;
    }

    /**
     * Has the action run, on a thread of its own, where a request is overdue; the connection is cut
     * {@link #LATE_NANOS} later. Without an action, or with null, it is cut at once.
     */
    void whenLate(@Nullable Runnable action) {
        whenLate = action;
    }

    /**
     * What was being read is there.
     *
     * @return false where it came too late: it was answered, and nothing else may answer
     */
    boolean readingEnds() {
        if (!deadline.compareAndSet(mine, NEVER)) {
            return false;
        }
        mine = NEVER;
        return true;
    }

    /** Waits for a request's first byte; a new connection has as long for it as for a head. */
    void idle(boolean first) {
        long nanos = first ? limits.headerTimeout().toNanos() : limits.idleTimeout().toNanos();
        enter(Phase.IDLE, ticker.getAsLong() + nanos);
    }

    /** A request's first byte is there; gives the time. */
    long header() {
        long now = ticker.getAsLong();
        enter(Phase.HEADER, now + limits.headerTimeout().toNanos());
        return now;
    }

    void body() {
        enter(Phase.BODY, ticker.getAsLong() + limits.bodyTimeout().toNanos());
    }

    /** A handler is at work: how long that may take is not the door's business. */
    void call() {
        wokenAt = NEVER;
        enter(Phase.CALL, NEVER);
        callSince = ticker.getAsLong();
    }

    /** An HTTP/2 header block has begun that is not whole yet, or is whole now. */
    void headerBlock(boolean open) {
        blockDeadline = open ? ticker.getAsLong() + limits.headerTimeout().toNanos() : NEVER;
    }

    /** Nanoseconds since a call began that runs now; 0 where none does. */
    long callFor(long now) {
        long since = callSince;
        return phase == Phase.CALL && since != NEVER ? now - since : 0;
    }

    /** Whether nothing has been asked for longer than an idle connection is kept. */
    boolean idleSince(long now) {
        long due = deadline.get();
        return phase == Phase.IDLE && due != NEVER && now - due >= 0;
    }

    void linger(long nanos) {
        enter(Phase.LINGER, ticker.getAsLong() + nanos);
    }

    Phase phase() {
        return phase;
    }

    void writeBegins() {
        writeSince = ticker.getAsLong();
    }

    void writeEnds() {
        writeSince = NEVER;
    }

    /** From now on no write of this call may take long. */
    void wake() {
        wokenAt = ticker.getAsLong();
    }

    boolean woken() {
        return wokenAt != NEVER;
    }

    boolean wasCut() {
        return cut;
    }

    void sweep(long now) {
        long due = deadline.get();
        long block = blockDeadline;
        if (due != NEVER && now - due >= 0) {
            overdue(due, now);
        } else if (block != NEVER && now - block >= 0) {
            events.timedOut(Phase.HEADER.label);
            cut();
        } else if (stalled(now)) {
            events.timedOut("write");
            cut();
        }
    }

    private void overdue(long due, long now) {
        Phase late = phase;
        Runnable action = late == Phase.HEADER || late == Phase.BODY ? whenLate : null;
        if (!deadline.compareAndSet(due, action == null ? NEVER : now + LATE_NANOS)) {
            return;
        }
        if (late != Phase.LINGER) {
            events.timedOut(late.label);
        }
        if (action == null) {
            cut();
        } else {
            phase = Phase.LINGER;
            Thread.startVirtualThread(action);
        }
    }

    /** Nothing more will be written: the client sees the end, and can still send. */
    void endOutput() {
        try {
            channel.shutdownOutput();
        } catch (IOException e) {
            // Closed before, by the client or by us.
        }
    }

    /** Closes the socket. The other side sees the end of what was sent, or of an unfinished one. */
    void cut() {
        cut = true;
        endOutput();
        channel.close();
    }

    private boolean stalled(long now) {
        long since = writeSince;
        if (since == NEVER) {
            return false;
        }
        long woken = wokenAt;
        if (woken != NEVER && now - Math.max(since, woken) >= WOKEN_WRITE_NANOS) {
            return since == writeSince;
        }
        return now - since >= limits.bodyTimeout().toNanos() && since == writeSince;
    }

    private void enter(Phase next, long until) {
        deadline.set(NEVER);
        callSince = NEVER;
        phase = next;
        mine = until;
        deadline.set(until);
    }
}

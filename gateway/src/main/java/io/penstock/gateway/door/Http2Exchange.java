package io.penstock.gateway.door;

import io.penstock.gateway.config.LimitsConfig;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 stream while its request is being read and answered: what its thread waits for, and
 * how it is woken.
 *
 * <p>Streams share a socket, and interrupting a thread inside a socket's operation closes the
 * socket. So the thread says when it waits where an interrupt is harmless (for a body's next frame,
 * for the client to open its window), and when it is inside the socket; it is interrupted only in
 * the first case, and a wake that comes during the second takes effect after it.
 *
 * <p><b>Threads.</b> The stream's own thread; {@link #gone}, {@link #wake}, {@link #sweep} and
 * {@link #whenGone} any. The monitor of this object guards all fields; no I/O under it.
 */
final class Http2Exchange {
    private static final long NEVER = Long.MIN_VALUE;

    private final int stream;
    private final Thread thread;
    private final LimitsConfig limits;
    private final LongSupplier ticker;
    private boolean waiting;
    private boolean inSocket;
    private boolean cancelled;
    private boolean gone;
    private boolean late;
    private long bodyDeadline = NEVER;
    private long writeSince = NEVER;
    private long wokenAt = NEVER;
    private @Nullable Runnable onGone;

    Http2Exchange(int stream, Thread thread, LimitsConfig limits, LongSupplier ticker) {
        this.stream = stream;
        this.thread = thread;
        this.limits = limits;
        this.ticker = ticker;
    }

    int stream() {
        return stream;
    }

    Thread thread() {
        return thread;
    }

    /** The thread begins to read the body. */
    synchronized void readBegins() {
        waiting = true;
        bodyDeadline = ticker.getAsLong() + limits.bodyTimeout().toNanos();
        interruptIfCancelled();
    }

    /** The thread begins to write; false where that makes no sense any more. */
    synchronized boolean writeBegins() {
        if (cancelled) {
            return false;
        }
        waiting = true;
        writeSince = ticker.getAsLong();
        return true;
    }

    /** The thread has ended what it began. */
    synchronized void waitEnds() {
        waiting = false;
        bodyDeadline = NEVER;
        writeSince = NEVER;
        // A wake that came too late must not hit whatever the handler does next.
        boolean ignored = Thread.interrupted();
    }

    /** The thread goes into the socket: from here on it must not be interrupted. */
    synchronized void socketBegins() {
        inSocket = true;
        boolean ignored = Thread.interrupted();
    }

    synchronized void socketEnds() {
        inSocket = false;
        interruptIfCancelled();
    }

    /** Whether reading or writing has no more purpose: the client is gone, late, or was cut. */
    synchronized boolean cancelled() {
        return cancelled;
    }

    /** Whether the body took too long. */
    synchronized boolean late() {
        return late;
    }

    /** The client reset the stream, or its connection has ended. */
    void gone() {
        Runnable action;
        synchronized (this) {
            gone = true;
            action = onGone;
            onGone = null;
            cancel();
        }
        if (action != null) {
            Thread.startVirtualThread(action);
        }
    }

    void whenGone(Runnable action) {
        synchronized (this) {
            if (!gone) {
                onGone = action;
                return;
            }
        }
        Thread.startVirtualThread(action);
    }

    /** From now on no write may take long. */
    synchronized void wake() {
        wokenAt = ticker.getAsLong();
    }

    /** The answer has ended: the client going away is nobody's concern any more. */
    synchronized void ended() {
        onGone = null;
    }

    synchronized void sweep(long now) {
        if (bodyDeadline != NEVER && now - bodyDeadline >= 0) {
            late = true;
            cancel();
        }
        boolean stuck = writeSince != NEVER && wokenAt != NEVER;
        if (stuck && now - Math.max(writeSince, wokenAt) >= Pace.WOKEN_WRITE_NANOS) {
            cancel();
        }
    }

    private synchronized void cancel() {
        cancelled = true;
        interruptIfCancelled();
    }

    private synchronized void interruptIfCancelled() {
        if (cancelled && waiting && !inSocket) {
            thread.interrupt();
        }
    }
}

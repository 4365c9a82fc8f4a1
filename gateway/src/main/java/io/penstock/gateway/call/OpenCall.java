package io.penstock.gateway.call;

import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.upstream.Exchange;
import org.jspecify.annotations.Nullable;

/**
 * A call under way: what is needed to end it from outside.
 *
 * <p><b>Guarantee.</b> The first cut wins, and no exchange is attached and no byte written to the
 * client's stream after it, but for the last words of the call's own thread.
 *
 * <p><b>Threads.</b> The call's own thread, the control bus, the sweeper and the door. The monitor
 * guards {@code cut}, {@code exchange} and {@code writing}; nothing under it blocks.
 */
final class OpenCall {
    private final Call call;
    private final ServerConfig server;
    private final Reply reply;
    private @Nullable Exchange exchange;
    private volatile @Nullable Cut cut;
    private boolean writing;
    private boolean woken;
    private volatile long epoch = Long.MAX_VALUE;
    private volatile boolean sending;
    private volatile boolean answered;
    private volatile long waitingSinceNanos;
    private volatile long cutNanos;

    OpenCall(Call call, ServerConfig server, Reply reply, long nowNanos) {
        this.call = call;
        this.server = server;
        this.reply = reply;
        this.waitingSinceNanos = nowNanos;
    }

    Call call() {
        return call;
    }

    @Nullable Cut cut() {
        return cut;
    }

    /** Ties a connection to the call; false if the call was cut before. */
    synchronized boolean attach(Exchange next) {
        if (cut != null) {
            return false;
        }
        exchange = next;
        return true;
    }

    /**
     * Marks the call as ended by something else than itself, and wakes its thread where it waits
     * for the upstream.
     */
    boolean cut(Cut why, long nowNanos) {
        Exchange toClose;
        synchronized (this) {
            if (cut != null) {
                return false;
            }
            cut = why;
            cutNanos = nowNanos;
            toClose = exchange;
        }
        if (toClose != null) {
            toClose.cut();
        }
        return true;
    }

    /** Begins a write to the client; false if the call was cut. */
    synchronized boolean beginWrite() {
        if (cut != null) {
            return false;
        }
        writing = true;
        return true;
    }

    synchronized void endWrite() {
        writing = false;
        if (woken) {
            Thread.interrupted();
        }
    }

    /** Wakes the thread where it is still stuck in a write to a client that does not read. */
    synchronized void wakeWriter() {
        if (writing && !woken) {
            woken = true;
            reply.wake();
        }
    }

    /** Names the snapshot whose send section the call is about to be in. */
    void beginSend(long underEpoch) {
        epoch = underEpoch;
        sending = true;
    }

    void endSend(long nowNanos) {
        sending = false;
        waitingSinceNanos = nowNanos;
    }

    boolean sendingUnderOlderThan(long newerEpoch) {
        return sending && epoch < newerEpoch;
    }

    /** The answer's head is in. */
    void answered(long nowNanos) {
        waitingSinceNanos = nowNanos;
        answered = true;
    }

    /** More of the answer is in, or has gone out. */
    void progress(long nowNanos) {
        waitingSinceNanos = nowNanos;
    }

    /** Which time limit the call has broken by now, or null. */
    @Nullable Cut overdue(long nowNanos) {
        if (!call.endless() && nowNanos - call.arrivedNanos() > server.maxDuration().toNanos()) {
            return new Cut.Overdue("max-duration");
        }
        long waited = nowNanos - waitingSinceNanos;
        if (answered) {
            return waited > server.idleTimeout().toNanos() ? new Cut.Overdue("idle-timeout") : null;
        }
        long limit = call.endless() ? server.idleTimeout().toNanos() : server.timeout().toNanos();
        return waited > limit ? new Cut.Overdue("timeout") : null;
    }

    /** Whether the call was cut that long ago and its thread has not ended it yet. */
    boolean lingering(long nowNanos, long graceNanos) {
        return cut != null && nowNanos - cutNanos > graceNanos;
    }
}

package io.penstock.cluster.control;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a NOTIFY from another connection reaches the listening one. Where it does not,
 * the replica only polls, and says so.
 *
 * <p><b>Threads.</b> Synchronized: the lease's thread sends, the listening thread receives.
 */
final class NotifyProbe {
    private static final String PREFIX = "probe ";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Supplier<UUID> ids;
    private @Nullable String awaited;
    private boolean sent;
    private long sentNanos;
    private boolean degraded = true;

    NotifyProbe(Supplier<UUID> ids) {
        this.ids = ids;
    }

    /** Whether a payload is some replica's probe, not a hint. */
    static boolean isProbe(String payload) {
        return payload.startsWith(PREFIX);
    }

    /** Wants a new probe: the connection listens from now on. */
    synchronized void listening() {
        awaited = PREFIX + ids.get();
        sent = false;
    }

    /** What to send now on another connection, or null. */
    synchronized @Nullable String toSend(long nowNanos) {
        if (awaited == null || sent) {
            return null;
        }
        sent = true;
        sentNanos = nowNanos;
        return awaited;
    }

    synchronized void received(String payload) {
        if (payload.equals(awaited)) {
            awaited = null;
            degraded = false;
        }
    }

    /** Gives up on a probe that does not come, and tries again after a while. */
    synchronized void check(long nowNanos) {
        if (awaited == null || !sent) {
            return;
        }
        long waited = nowNanos - sentNanos;
        if (waited > PATIENCE_NANOS) {
            degraded = true;
        }
        if (waited > AGAIN_NANOS) {
            listening();
        }
    }

    /** No probe has arrived on the connection that listens now. */
    synchronized boolean degraded() {
        return degraded;
    }
}

package io.penstock.gateway.http;

import java.util.concurrent.locks.LockSupport;

/**
 * Ends a virtual thread's turn on its carrier, where its peer never lets it wait.
 *
 * <p>{@link Thread#yield} does not: a carrier runs what its own threads have made runnable before
 * it looks at what others have, a thread that yields is in the former, and whatever a timer, a
 * poller or a lane has woken would never run. A park of no length comes back by the way that those
 * take.
 *
 * <p><b>Source.</b> docs/adr/0032-turns.md
 */
public final class Turn {
    private Turn() {}

    /** Lets everything else that is runnable have its turn first. */
    public static void pass() {
        LockSupport.parkNanos(1);
    }
}

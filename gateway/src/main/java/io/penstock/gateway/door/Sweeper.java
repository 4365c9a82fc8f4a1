package io.penstock.gateway.door;

import java.util.concurrent.locks.LockSupport;

/**
 * One thread that looks at every open connection in turn: {@link DoorConnection#sweep}.
 *
 * <p><b>Cost.</b> A few volatile reads for each open connection, every {@value #PERIOD_MILLIS} ms.
 */
final class Sweeper {
    static final int PERIOD_MILLIS = 20;

    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());

    private final Door door;
    private final Thread thread;
    private volatile boolean stopping;

    Sweeper(Door door) {
        this.door = door;
        thread = Thread.ofPlatform().daemon().name("door-sweeper").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!stopping) {
            LockSupport.parkNanos(PERIOD_MILLIS * 1_000_000L);
            long now = door.ticker.getAsLong();
            for (DoorConnection each : door.open) {
                sweep(each, now);
            }
        }
    }

    private static void sweep(DoorConnection each, long now) {
        try {
            each.sweep(now);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "event=sweep-failed", e);
        }
    }
}

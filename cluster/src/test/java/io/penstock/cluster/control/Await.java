package io.penstock.cluster.control;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for something to become true, with a bound that only a broken program reaches. */
public final class Await {
    private static final Duration LONG = Duration.ofSeconds(20);

    private Await() {}

    /** Polls each millisecond; fails with what was waited for. */
    public static void until(String what, Callable<Boolean> condition) throws Exception {
        until(what, LONG, condition);
    }

    public static void until(String what, Duration bound, Callable<Boolean> condition)
            throws Exception {
        long started = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - started > bound.toNanos()) {
                throw new AssertionError("not within " + bound + ": " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}

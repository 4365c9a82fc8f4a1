package io.penstock.e2e;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waiting for what another process does: polls, with a bound, and says what did not happen. */
final class Await {
    /** Generous: a loaded CI machine may be ten times slower than the one this was written on. */
    static final Duration LONG = Duration.ofSeconds(60);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private Await() {}

    static void until(String what, Callable<Boolean> condition) {
        until(what, LONG, condition);
    }

    static void until(String what, Duration bound, Callable<Boolean> condition) {
        long deadline = System.nanoTime() + bound.toNanos();
        Throwable last = null;
        while (System.nanoTime() < deadline) {
            try {
                if (condition.call()) return;
                last = null;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting until " + what, e);
            } catch (Exception | AssertionError e) {
                last = e;
            }
            pause(PAUSE);
        }
        throw new AssertionError("not within " + bound + ": " + what, last);
    }

    static void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}

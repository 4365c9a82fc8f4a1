package io.penstock.e2e;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** An {@link OpenLoop} that runs while the test does something else. */
final class Load {
    private final AtomicReference<OpenLoop.Outcome> outcome = new AtomicReference<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread thread;

    private Load(Supplier<OpenLoop.Outcome> loop) {
        thread = Thread.ofPlatform().daemon().name("e2e-load").start(() -> run(loop));
    }

    static Load start(Supplier<OpenLoop.Outcome> loop) {
        return new Load(loop);
    }

    private void run(Supplier<OpenLoop.Outcome> loop) {
        try {
            outcome.set(loop.get());
        } catch (RuntimeException | Error e) {
            failure.set(e);
        }
    }

    /** What came back, once all of it has. */
    OpenLoop.Outcome outcome() {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        Throwable failed = failure.get();
        if (failed != null) throw new AssertionError("the load ended early", failed);
        return Objects.requireNonNull(outcome.get());
    }
}

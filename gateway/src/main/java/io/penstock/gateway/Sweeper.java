package io.penstock.gateway;

import io.penstock.cluster.control.ControlView;
import io.penstock.gateway.call.OpenCallRegistry;
import java.lang.System.Logger.Level;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Has calls cut that are overdue or outlast the lease, every few milliseconds, on a thread that
 * busy carriers cannot starve.
 */
final class Sweeper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());
    private static final long PERIOD_MILLIS = 20;

    private final OpenCallRegistry registry;
    private final ControlView view;
    private final CountDownLatch closed = new CountDownLatch(1);

    Sweeper(OpenCallRegistry registry, ControlView view) {
        this.registry = registry;
        this.view = view;
    }

    void start() {
        Thread.ofPlatform().name("penstock-sweeper").daemon().start(this::run);
    }

    private void run() {
        try {
            while (!closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS)) {
                sweep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A fault in one look must not end all later ones: time limits would hold no more. */
    private void sweep() {
        try {
            registry.sweep(view.current());
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "event=sweep-failed", e);
        }
    }

    @Override
    public void close() {
        closed.countDown();
    }
}

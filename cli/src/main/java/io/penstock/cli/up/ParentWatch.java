package io.penstock.cli.up;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.locks.LockSupport;

/**
 * How a child notices that its parent is gone, however it went: the parent holds the other end of
 * the child's standard input and never writes; the end of it means that the parent is no more.
 */
public final class ParentWatch {
    private static final long ORDERLY_NANOS_MAX = 15_000_000_000L;

    private ParentWatch() {}

    /** Waits for the end of standard input. */
    public static void await() {
        InputStream parent = System.in;
        try {
            while (parent.read() >= 0) {
                // Nobody writes; a byte means nothing.
            }
        } catch (IOException e) {
            // A broken pipe is an ended parent too.
            return;
        }
    }

    /** Ends this process in an orderly way when the parent is gone. */
    public static void exitWithParent() {
        Thread.ofPlatform()
                .daemon()
                .name("parent-watch")
                .start(
                        () -> {
                            await();
                            haltLater();
                            System.exit(0);
                        });
    }

    /** What was started with the parent may be gone already, and an orderly end may wait for it. */
    private static void haltLater() {
        Thread.ofPlatform()
                .daemon()
                .name("parent-watch-halt")
                .start(
                        () -> {
                            LockSupport.parkNanos(ORDERLY_NANOS_MAX);
                            Runtime.getRuntime().halt(1);
                        });
    }
}

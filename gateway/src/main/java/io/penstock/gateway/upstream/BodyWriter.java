package io.penstock.gateway.upstream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Writes the rest of a request's body on its own virtual thread.
 *
 * <p>Ends with the last byte, or when the connection fails or is closed, whichever is first. A
 * failure is not reported: it shows in the answer, which a server may send before it stops reading,
 * or in its absence.
 */
final class BodyWriter implements Runnable {
    /** A piece small enough that JDK's copy of it outside the heap stays small. */
    private static final int PIECE_BYTES = 64 * 1024;

    /** How long the last steps of a writer may lag behind an answer that proves it wrote all. */
    private static final Duration LAG = Duration.ofMillis(20);

    private final Wire wire;
    private final byte[] body;
    private final int from;
    private final BooleanSupplier mayGoOn;
    private final Thread thread;
    private volatile boolean complete;

    private BodyWriter(Wire wire, byte[] body, int from, BooleanSupplier mayGoOn) {
        this.wire = wire;
        this.body = body;
        this.from = from;
        this.mayGoOn = mayGoOn;
        thread = Thread.ofVirtual().name("upstream-body").unstarted(this);
    }

    /** {@code mayGoOn}: asked before each piece; may take its time. */
    static BodyWriter start(Wire wire, byte[] body, int from, BooleanSupplier mayGoOn) {
        BodyWriter writer = new BodyWriter(wire, body, from, mayGoOn);
        writer.thread.start();
        return writer;
    }

    @Override
    public void run() {
        ByteBuffer bytes = ByteBuffer.wrap(body, from, body.length - from);
        try {
            while (bytes.position() < body.length) {
                if (!mayGoOn.getAsBoolean()) {
                    return;
                }
                bytes.limit(Math.min(body.length, bytes.position() + PIECE_BYTES));
                wire.write(bytes);
            }
            complete = true;
        } catch (IOException gone) {
            // The reader finds out by itself.
        }
    }

    void await() throws InterruptedException {
        thread.join();
    }

    /** Whether everything was written; waits a moment for a writer that is about to end. */
    boolean finished() {
        try {
            return thread.join(LAG) && complete;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}

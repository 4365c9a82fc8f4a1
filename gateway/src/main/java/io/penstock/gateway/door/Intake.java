package io.penstock.gateway.door;

import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that come in on one connection, and the watch for its end while a call runs.
 *
 * <p>Nobody reads a client's socket while its call is being answered, so nobody would see that the
 * client has gone. {@link #watch} reads one piece ahead on a thread of its own; the connection's
 * next {@link #more} takes over what that thread has read, so kept connections and pipelining work
 * as if there had been no watch.
 *
 * <p><b>Threads.</b> The connection's own thread, but for {@link #watch} and {@link #whenGone}. The
 * monitor of this object guards the fields of the watch; no I/O under it.
 */
final class Intake {
    private static final byte[] NOTHING = {};

    /** Where bytes come from. */
    @FunctionalInterface
    interface Source {

        /**
         * Waits for the next bytes: at least 1, or null at the end.
         *
         * @throws UncheckedIOException where the connection is broken, which counts as its end
         */
        byte @Nullable [] next();
    }

    private final Source source;

    /** Unread bytes are {@code buffer[position..limit)}. */
    byte[] buffer = NOTHING;

    int position;
    int limit;

    private boolean inCall;
    private boolean gone;
    private @Nullable Runnable onGone;
    private @Nullable Thread watcher;
    private byte @Nullable [] ahead;

    Intake(Source source) {
        this.source = source;
    }

    boolean hasBytes() {
        return position < limit;
    }

    /**
     * Waits for more bytes and puts them behind the unread ones.
     *
     * @return false at the connection's end, or when it was closed under us
     */
    boolean more() {
        byte[] piece = takeAhead();
        if (piece == null) {
            return false;
        }
        append(piece);
        return true;
    }

    /** Reads on without looking until the connection's end. */
    void discard() {
        do {
            position = limit;
        } while (more());
    }

    /** Reads exactly so many bytes; false when the connection ended before. */
    boolean readFully(byte[] into, int offset, int length) {
        int done = 0;
        while (done < length) {
            if (!hasBytes() && !more()) {
                return false;
            }
            int now = Math.min(length - done, limit - position);
            System.arraycopy(buffer, position, into, offset + done, now);
            position += now;
            done += now;
        }
        return true;
    }

    /** A call begins: from now on the connection may be watched. */
    synchronized void callBegins() {
        inCall = true;
        onGone = null;
    }

    /** The call has ended: the client going away is nobody's concern any more. */
    synchronized void callEnds() {
        inCall = false;
        onGone = null;
    }

    void whenGone(Runnable action) {
        synchronized (this) {
            if (!gone) {
                onGone = action;
                return;
            }
        }
        Thread.startVirtualThread(action);
    }

    /**
     * The last bytes of the answer are about to be written: a client that has them may leave before
     * the write has returned, and that concerns nobody. A write that fails says so itself.
     */
    synchronized void answered() {
        onGone = null;
    }

    /** Starts to watch, where a call runs that wants to know and nothing is pipelined behind it. */
    synchronized void watch() {
        if (inCall && onGone != null && watcher == null && !hasBytes()) {
            watcher = Thread.ofVirtual().name("door-watch").start(this::readAhead);
        }
    }

    private void readAhead() {
        byte[] piece = read();
        Runnable action = null;
        synchronized (this) {
            ahead = piece;
            if (piece == null) {
                gone = true;
                action = onGone;
                onGone = null;
            }
        }
        if (action != null) {
            Thread.startVirtualThread(action);
        }
    }

    private byte @Nullable [] takeAhead() {
        Thread running;
        synchronized (this) {
            running = watcher;
        }
        if (running == null) {
            return read();
        }
        try {
            running.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        synchronized (this) {
            byte[] piece = ahead;
            ahead = null;
            watcher = null;
            return piece;
        }
    }

    private byte @Nullable [] read() {
        try {
            return source.next();
        } catch (UncheckedIOException e) {
            return null;
        }
    }

    private void append(byte[] piece) {
        int unread = limit - position;
        if (unread == 0) {
            buffer = piece;
            position = 0;
            limit = piece.length;
            return;
        }
        if (limit + piece.length > buffer.length) {
            byte[] larger = new byte[2 * (unread + piece.length)];
            System.arraycopy(buffer, position, larger, 0, unread);
            buffer = larger;
            position = 0;
            limit = unread;
        }
        System.arraycopy(piece, 0, buffer, limit, piece.length);
        limit += piece.length;
    }
}

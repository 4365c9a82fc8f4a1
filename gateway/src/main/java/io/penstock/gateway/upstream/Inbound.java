package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.BROKE_OFF;
import static io.penstock.gateway.upstream.UpstreamException.Kind.NOT_HTTP;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes of one connection that have come in and were not taken yet, in an array of fixed size.
 *
 * <p><b>Bounds.</b> Never holds more than {@link #CAPACITY} bytes, so a line is never longer.
 */
final class Inbound {
    static final int CAPACITY = Exchange.FIRST_BYTES;

    final byte[] bytes = new byte[CAPACITY];

    /** The first byte that was not taken. */
    int from;

    /** One past the last byte that is here. */
    int to;

    /** Where the line that was taken last begins. */
    int lineStart;

    private final ByteBuffer window = ByteBuffer.wrap(bytes);

    int available() {
        return to - from;
    }

    void clear() {
        from = 0;
        to = 0;
    }

    /** Waits for at least one more byte; false at the end of the connection. */
    boolean fill(Wire wire) {
        if (from == to) {
            clear();
        } else if (to == CAPACITY) {
            System.arraycopy(bytes, from, bytes, 0, to - from);
            to -= from;
            from = 0;
        }
        if (to == CAPACITY) {
            throw new IllegalStateException("no room: " + CAPACITY + " bytes wait to be taken");
        }
        window.limit(CAPACITY).position(to);
        try {
            int taken = wire.read(window);
            if (taken > 0) {
                to += taken;
            }
            return taken > 0;
        } catch (IOException e) {
            throw new UpstreamException(BROKE_OFF, "the upstream broke off", e);
        }
    }

    /** Takes one byte, waiting for it; -1 at the end of the connection. */
    int next(Wire wire) {
        if (from == to && !fill(wire)) {
            return -1;
        }
        return bytes[from++];
    }

    /**
     * Takes one line that ends in CR LF, waiting for it.
     *
     * @return one past its last byte, the CR and LF not counted; its first is {@link #lineStart}
     */
    int line(Wire wire, int most, String what) {
        int seen = 0;
        while (true) {
            int end = Math.min(to, from + most);
            for (int i = from + seen; i < end; i++) {
                if (bytes[i] == '\n') {
                    return taken(i, what);
                }
            }
            seen = end - from;
            if (seen >= most) {
                throw new UpstreamException(NOT_HTTP, what + " is longer than " + most + " bytes");
            }
            if (!fill(wire)) {
                throw new UpstreamException(BROKE_OFF, "the upstream closed within " + what);
            }
        }
    }

    private int taken(int lineFeed, String what) {
        if (lineFeed == from || bytes[lineFeed - 1] != '\r') {
            throw new UpstreamException(NOT_HTTP, what + " does not end in CR LF");
        }
        lineStart = from;
        from = lineFeed + 1;
        return lineFeed - 1;
    }
}

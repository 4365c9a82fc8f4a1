package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.AnswerHeadReader.refused;
import static io.penstock.gateway.upstream.UpstreamException.Kind.BROKE_OFF;

/**
 * Reads an answer's body as its bytes come, out of its framing.
 *
 * <p><b>Bounds.</b> Holds nothing but the connection's own buffer: what a peer claims about sizes
 * is only ever counted down, never allocated. A chunk's size line has at most {@link #SIZE_LINE}
 * bytes.
 */
final class AnswerBody {
    static final int SIZE_LINE = 512;

    /** 15 digits: 10^18 bytes, and no overflow. */
    private static final int SIZE_DIGITS = 15;

    private enum State {
        /** Inside a body of known length, or a chunk. */
        COUNTED,
        /** Until the connection ends. */
        OPEN,
        /** Before a chunk's size line. */
        SIZE,
        /** Before the line end that follows a chunk. */
        CHUNK_END,
        DONE
    }

    private final Wire wire;
    private final Inbound in;
    private final AnswerHeadReader heads;
    private boolean chunked;
    private State state = State.DONE;
    private long left;

    AnswerBody(Wire wire, Inbound in, AnswerHeadReader heads) {
        this.wire = wire;
        this.in = in;
        this.heads = heads;
    }

    void begin(long framing) {
        chunked = framing == AnswerHead.CHUNKED;
        if (chunked) {
            state = State.SIZE;
        } else if (framing == AnswerHead.TO_THE_END) {
            state = State.OPEN;
        } else {
            left = framing;
            state = framing == 0 ? State.DONE : State.COUNTED;
        }
    }

    /** Whether the body was taken to its end. */
    boolean done() {
        return state == State.DONE;
    }

    /**
     * Takes bytes of the body, waiting only while there is none at all: at least 1, or -1 at the
     * end.
     */
    int read(byte[] into, int offset, int length) {
        int taken = 0;
        while (taken < length && state != State.DONE) {
            if (taken > 0 && !ready()) {
                break;
            }
            taken += step(into, offset + taken, length - taken);
        }
        return taken == 0 && length > 0 ? -1 : taken;
    }

    /** Whether a step can be made with what is here. */
    private boolean ready() {
        return switch (state) {
            case COUNTED, OPEN -> in.available() > 0;
            case SIZE, CHUNK_END -> lineIsHere();
            case DONE -> false;
        };
    }

    private boolean lineIsHere() {
        int end = Math.min(in.to, in.from + SIZE_LINE);
        for (int i = in.from; i < end; i++) {
            if (in.bytes[i] == '\n') {
                // The last chunk may be followed by trailers that are not here: those can wait.
                return state == State.CHUNK_END || in.bytes[in.from] != '0';
            }
        }
        return false;
    }

    private int step(byte[] into, int offset, int length) {
        switch (state) {
            case COUNTED -> {
                return counted(into, offset, length);
            }
            case OPEN -> {
                return open(into, offset, length);
            }
            case SIZE -> size();
            case CHUNK_END -> {
                if (in.line(wire, 2, "the end of a chunk") != in.lineStart) {
                    throw refused("a chunk that is longer than its size");
                }
                state = State.SIZE;
            }
            case DONE -> throw new IllegalStateException("the body has ended");
        }
        return 0;
    }

    private int counted(byte[] into, int offset, int length) {
        if (in.available() == 0 && !in.fill(wire)) {
            throw new UpstreamException(BROKE_OFF, "the upstream closed within its answer");
        }
        int taken = copy(into, offset, (int) Math.min(left, length));
        left -= taken;
        if (left == 0) {
            state = chunked ? State.CHUNK_END : State.DONE;
        }
        return taken;
    }

    private int open(byte[] into, int offset, int length) {
        if (in.available() == 0 && !in.fill(wire)) {
            state = State.DONE;
            return 0;
        }
        return copy(into, offset, length);
    }

    private int copy(byte[] into, int offset, int most) {
        int taken = Math.min(in.available(), most);
        System.arraycopy(in.bytes, in.from, into, offset, taken);
        in.from += taken;
        return taken;
    }

    private void size() {
        int end = in.line(wire, SIZE_LINE, "a chunk's size");
        int at = in.lineStart;
        long size = 0;
        int digit;
        while (at < end && (digit = Tokens.hex(in.bytes[at])) >= 0) {
            if (at - in.lineStart == SIZE_DIGITS) {
                throw refused("a chunk size that is no size");
            }
            size = size << 4 | digit;
            at++;
        }
        if (at == in.lineStart || (at < end && in.bytes[at] != ';')) {
            throw refused("a chunk size that is no size");
        }
        for (; at < end; at++) {
            if (!Tokens.value(in.bytes[at] & 0xFF)) {
                throw refused("a control character in a chunk's size line");
            }
        }
        if (size == 0) {
            heads.trailers();
            state = State.DONE;
        } else {
            left = size;
            state = State.COUNTED;
        }
    }
}

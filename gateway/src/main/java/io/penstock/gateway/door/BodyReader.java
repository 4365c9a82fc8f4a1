package io.penstock.gateway.door;

import io.penstock.gateway.door.RequestRefused.Reason;
import java.util.Arrays;

/**
 * Reads one HTTP/1.1 request body whole, within its bound and the listener's {@link BodyBudget}.
 *
 * <p>Memory is taken as bytes arrive, not as they are announced: a client that promises 4 MiB and
 * sends nothing costs nothing.
 *
 * <p>Chunks are read to the letter of RFC 9112 section 7.1 without extensions and trailers, which
 * no client of an agent's tools sends and which readers disagree about.
 */
final class BodyReader {
    /** Taken at once; larger bodies grow. */
    private static final int FIRST_BYTES = 16 * 1024;

    /** Hex digits of a chunk's size; 7 are 256 MiB, above any sensible bound. */
    private static final int SIZE_DIGITS_MAX = 8;

    private static final byte[] NOTHING = {};

    private final Intake in;
    private final int most;
    private final BodyBudget budget;
    private int taken;
    private byte[] body = NOTHING;
    private int filled;

    BodyReader(Intake in, int most, BodyBudget budget) {
        this.in = in;
        this.most = most;
        this.budget = budget;
    }

    /** Refuses a body that is announced as too large, before any of it is read. */
    static void check(RequestHead head, int most) {
        if (head.contentLength() > most) {
            throw tooLarge(most);
        }
    }

    byte[] read(RequestHead head) {
        if (head.chunked()) {
            return readChunked();
        }
        int length = (int) head.contentLength();
        if (length == 0) {
            return NOTHING;
        }
        if (length <= in.limit - in.position) {
            byte[] whole = Arrays.copyOfRange(in.buffer, in.position, in.position + length);
            in.position += length;
            return whole;
        }
        readPiece(length, length);
        return body;
    }

    /** Gives the memory back, once the request has been answered. */
    void release() {
        if (taken > 0) {
            budget.giveBack(taken);
            taken = 0;
        }
    }

    private byte[] readChunked() {
        while (true) {
            int size = chunkSize();
            if (size == 0) {
                expectLineEnd("Trailers are not supported.");
                return filled == body.length ? body : Arrays.copyOf(body, filled);
            }
            if (size > most - filled) {
                throw tooLarge(most);
            }
            readPiece(size, most);
            expectLineEnd("A chunk is not followed by CR LF.");
        }
    }

    /** Reads so many bytes more; {@code atMost} is what the whole body can come to. */
    private void readPiece(int size, int atMost) {
        int left = size;
        while (left > 0) {
            if (!in.hasBytes() && !in.more()) {
                throw ended();
            }
            int now = Math.min(left, in.limit - in.position);
            ensure(filled + now, atMost);
            System.arraycopy(in.buffer, in.position, body, filled, now);
            in.position += now;
            filled += now;
            left -= now;
        }
    }

    private void ensure(int needed, int atMost) {
        if (needed <= body.length) {
            return;
        }
        int larger = Math.max(needed, Math.max(FIRST_BYTES, 2 * body.length));
        larger = Math.min(larger, atMost);
        budget.take(larger - taken);
        taken = larger;
        body = Arrays.copyOf(body, larger);
    }

    private int chunkSize() {
        long size = 0;
        int digits = 0;
        while (true) {
            int octet = next();
            int digit = Character.digit(octet, 16);
            if (digit < 0) {
                if (digits == 0 || octet != '\r' || next() != '\n') {
                    throw bad("A chunk's size is not a plain hexadecimal number.");
                }
                return (int) Math.min(size, Integer.MAX_VALUE);
            }
            if (++digits > SIZE_DIGITS_MAX) {
                throw bad("A chunk's size has too many digits.");
            }
            size = size << 4 | digit;
        }
    }

    private void expectLineEnd(String otherwise) {
        if (next() != '\r' || next() != '\n') {
            throw bad(otherwise);
        }
    }

    private int next() {
        if (!in.hasBytes() && !in.more()) {
            throw ended();
        }
        return in.buffer[in.position++];
    }

    private static RequestRefused tooLarge(int most) {
        return new RequestRefused(
                413, Reason.BODY_TOO_LARGE, "The body is larger than " + most + " bytes.");
    }

    private static RequestRefused ended() {
        return bad("The connection ended inside the body.");
    }

    private static RequestRefused bad(String detail) {
        return new RequestRefused(400, Reason.BAD_BODY, detail);
    }
}

package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The answer to one HTTP/1.1 request, written straight to the socket: a whole answer, and each
 * piece of a streamed one with its chunk framing, is one write.
 *
 * <p><b>Threads.</b> The call's own thread; {@link #wake} and {@link #whenGone} any.
 */
final class Http1Reply implements Reply {
    /** A larger piece is written in parts, so that a slow but steady reader counts as alive. */
    private static final int PART_BYTES = 64 * 1024;

    private static final String LENGTH = "Content-Length";
    private static final byte[] CLOSE = ascii("Connection: close\r\n");
    private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
    private static final byte[] LAST_CHUNK = ascii("0\r\n\r\n");

    private final Door door;
    private final HelidonSocket socket;
    private final Pace pace;
    private final Intake in;
    private final ResponseHead out;
    private final boolean head;
    private boolean close;
    private boolean bodiless;
    private State state = State.OPEN;

    private enum State {
        OPEN,
        BEGUN,
        ENDED,
        ABORTED
    }

    /**
     * @param head whether it answers a HEAD request, which gets no body
     * @param close whether the client wants the connection closed afterwards
     */
    Http1Reply(
            Door door,
            HelidonSocket socket,
            Pace pace,
            Intake in,
            ResponseHead out,
            boolean head,
            boolean close) {
        this.door = door;
        this.socket = socket;
        this.pace = pace;
        this.in = in;
        this.out = out;
        this.head = head;
        this.close = close;
    }

    @Override
    public void send(int status, HeaderBlock headers, byte[] body, int offset, int length) {
        expect(State.OPEN);
        layOutHead(status, headers);
        if (!bodiless || head && length > 0 && headers.first(LENGTH) == null) {
            out.contentLength(length);
        }
        out.line();
        int sent = bodiless ? 0 : length;
        state = State.ENDED;
        if (sent <= PART_BYTES) {
            out.raw(body, offset, sent);
            in.answered();
            flush();
            return;
        }
        flush();
        parts(body, offset, sent);
    }

    @Override
    public void begin(int status, HeaderBlock headers) {
        expect(State.OPEN);
        layOutHead(status, headers);
        if (!bodiless) {
            out.raw(CHUNKED);
        }
        out.line();
        state = State.BEGUN;
        flush();
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        expect(State.BEGUN);
        if (bodiless || length == 0) {
            return;
        }
        for (int done = 0; done < length; done += PART_BYTES) {
            int now = Math.min(PART_BYTES, length - done);
            out.clear();
            out.chunkSize(now);
            out.raw(bytes, offset + done, now);
            out.line();
            flush();
        }
    }

    @Override
    public void end() {
        expect(State.BEGUN);
        state = State.ENDED;
        if (!bodiless) {
            out.clear();
            out.raw(LAST_CHUNK);
            in.answered();
            flush();
        }
    }

    @Override
    public void abort() {
        if (state != State.ENDED) {
            state = State.ABORTED;
        }
        close = true;
        pace.cut();
    }

    @Override
    public boolean begun() {
        return state != State.OPEN;
    }

    @Override
    public void whenGone(Runnable action) {
        in.whenGone(action);
    }

    @Override
    public void wake() {
        pace.wake();
    }

    /** Has the connection closed after this answer. */
    void closeAfterwards() {
        close = true;
    }

    /** Whether the answer is complete. */
    boolean ended() {
        return state == State.ENDED;
    }

    /** Whether the connection can take another request. */
    boolean keeps() {
        return state == State.ENDED && !close;
    }

    private void layOutHead(int status, HeaderBlock headers) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("not a final status: " + status);
        }
        bodiless = head || status == 204 || status == 304;
        close |= door.draining;
        out.clear();
        out.status(status);
        out.headers(headers);
        boolean says = status == 304 || head && status != 204;
        String described = says ? headers.first(LENGTH) : null;
        if (described != null) {
            out.header(LENGTH, described);
        }
        out.raw(door.date.line());
        if (close) {
            out.raw(CLOSE);
        }
    }

    private void parts(byte[] body, int offset, int length) {
        for (int done = 0; done < length; done += PART_BYTES) {
            int now = Math.min(PART_BYTES, length - done);
            if (done + now == length) {
                in.answered();
            }
            write(BufferData.create(body, offset + done, now));
        }
    }

    private void flush() {
        write(BufferData.createReadOnly(out.bytes(), 0, out.length()));
    }

    private void write(BufferData data) {
        pace.writeBegins();
        try {
            socket.write(data);
        } catch (UncheckedIOException e) {
            close = true;
            state = State.ABORTED;
            throw new ClientGone("the client cannot be written to", e);
        } finally {
            pace.writeEnds();
        }
    }

    private void expect(State expected) {
        if (state == State.ABORTED) {
            throw new ClientGone("the answer was cut", new IllegalStateException("aborted"));
        }
        if (state != expected) {
            throw new IllegalStateException("answer is " + state + ", not " + expected);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

package io.penstock.gateway.door;

import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.http.RoutingResponse;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The answer on one HTTP/2 stream, through Helidon's response.
 *
 * <p><b>Threads.</b> The stream's own thread; {@link #wake} and {@link #whenGone} any.
 */
final class Http2Reply implements Reply {
    /** Headers of more than one frame are written wrongly by Helidon 4.5.0. */
    private static final int HEADER_BYTES_MAX = 15 * 1024;

    private final Door door;
    private final Http2Exchange exchange;
    private final RoutingResponse response;
    private final boolean head;
    private @Nullable OutputStream stream;
    private boolean bodiless;
    private State state = State.OPEN;

    private enum State {
        OPEN,
        BEGUN,
        ENDED,
        ABORTED
    }

    Http2Reply(Door door, Http2Exchange exchange, RoutingResponse response, boolean head) {
        this.door = door;
        this.exchange = exchange;
        this.response = response;
        this.head = head;
    }

    @Override
    public void send(int status, HeaderBlock headers, byte[] body, int offset, int length) {
        expect(State.OPEN);
        if (head || status == 204 || status == 304) {
            begin(status, headers, head ? length : 0L);
            end();
            return;
        }
        layOut(status, headers);
        state = State.ENDED;
        guard(() -> response.send(body, offset, length));
        exchange.ended();
    }

    @Override
    public void begin(int status, HeaderBlock headers) {
        begin(status, headers, 0);
    }

    private void begin(int status, HeaderBlock headers, long contentLength) {
        expect(State.OPEN);
        layOut(status, headers);
        bodiless = head || status == 204 || status == 304;
        boolean says = status == 304 || head && status != 204;
        String described = says ? headers.first("Content-Length") : null;
        if (described != null) {
            response.header(HeaderValues.create(HeaderNames.CONTENT_LENGTH, described));
        } else if (contentLength > 0) {
            response.header(HeaderValues.create(HeaderNames.CONTENT_LENGTH, contentLength));
        }
        state = State.BEGUN;
        guard(
                () -> {
                    stream = response.outputStream();
                    response.sink(HeaderFlush.TYPE);
                });
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        expect(State.BEGUN);
        OutputStream out = stream;
        if (bodiless || length == 0 || out == null) {
            return;
        }
        guard(() -> out.write(bytes, offset, length));
    }

    @Override
    public void end() {
        expect(State.BEGUN);
        state = State.ENDED;
        guard(response::commit);
        exchange.ended();
    }

    @Override
    public void abort() {
        if (state != State.ENDED) {
            state = State.ABORTED;
        }
    }

    @Override
    public boolean begun() {
        return state != State.OPEN;
    }

    @Override
    public void whenGone(Runnable action) {
        exchange.whenGone(action);
    }

    @Override
    public void wake() {
        exchange.wake();
    }

    /** Whether the answer is complete. */
    boolean ended() {
        return state == State.ENDED;
    }

    private void layOut(int status, HeaderBlock headers) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException("not a final status: " + status);
        }
        if (check(headers) > HEADER_BYTES_MAX) {
            refuseHead();
        }
        response.status(Status.create(status));
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!ResponseNames.doors(name)) {
                response.headers()
                        .add(
                                HeaderValues.create(
                                        HeaderNames.create(name.toLowerCase(Locale.ROOT), name),
                                        headers.value(i)));
            }
        }
        response.header(HeaderValues.create(HeaderNames.DATE, door.date.date()));
    }

    /** Checks each line; gives the size of all. */
    private static int check(HeaderBlock headers) {
        int bytes = 0;
        for (int i = 0; i < headers.size(); i++) {
            ResponseHead.check(headers.name(i), headers.value(i));
            bytes += headers.name(i).length() + headers.value(i).length() + 4;
        }
        return bytes;
    }

    /** Answers in place of a head that cannot be sent; its caller has nobody left to answer. */
    private void refuseHead() {
        byte[] body = Problem.body(502, "head-too-large", "The headers do not fit into one frame.");
        send(502, Problem.headers(502), body, 0, body.length);
        throw new ClientGone("headers too large", new IllegalArgumentException("head too large"));
    }

    /** A piece of work that writes to the client. */
    private interface Writing {
        void run() throws IOException;
    }

    /**
     * Whatever fails while writing, the client cannot be written to: Helidon throws half a dozen
     * kinds of exception for it.
     */
    private void guard(Writing writing) {
        if (!exchange.writeBegins()) {
            throw gone(new IllegalStateException("cancelled"));
        }
        try {
            writing.run();
        } catch (IOException | RuntimeException e) {
            throw gone(e);
        } finally {
            exchange.waitEnds();
        }
    }

    private ClientGone gone(Exception cause) {
        state = State.ABORTED;
        return new ClientGone("the client cannot be written to", cause);
    }

    private void expect(State expected) {
        if (state == State.ABORTED) {
            throw new ClientGone("the answer was cut", new IllegalStateException("aborted"));
        }
        if (state != expected) {
            throw new IllegalStateException("answer is " + state + ", not " + expected);
        }
    }
}

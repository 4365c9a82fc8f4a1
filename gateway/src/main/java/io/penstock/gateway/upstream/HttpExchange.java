package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.BROKE_OFF;
import static io.penstock.gateway.upstream.UpstreamException.Kind.CUT;

import io.penstock.gateway.http.HeaderBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One exchange on one pooled connection.
 *
 * <p><b>Guarantee.</b> The connection leaves this object exactly once, to the pool or to be closed;
 * a {@link #cut} that comes later touches nothing, because another exchange may own it by then.
 *
 * <p><b>Threads.</b> As {@link Exchange} says. What is left of a body is written by a virtual
 * thread of its own, so that an answer that comes early is read while the upstream is not reading.
 */
final class HttpExchange implements Exchange {
    private enum State {
        OPEN,
        FINISHED,
        CUT
    }

    private static final byte[] NOTHING = new byte[0];

    private final Connection connection;
    private final ConnectionPool pool;
    private final RequestHead requestHead;
    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    private String method = "";
    private byte[] head = NOTHING;
    private int headSize;
    private byte[] requestBody = NOTHING;
    private int bodyFrom;
    private boolean touched;
    private boolean sent;
    private @Nullable BodyWriter writer;
    private @Nullable AnswerHead answer;

    HttpExchange(Connection connection, ConnectionPool pool, RequestHead requestHead) {
        this.connection = connection;
        this.pool = pool;
        this.requestHead = requestHead;
    }

    @Override
    public void prepare(String method, String target, HeaderBlock headers, byte[] body) {
        if (touched) {
            throw new IllegalStateException("the request is under way");
        }
        RequestHead.Layout layout =
                requestHead.lay(method, target, headers, body.length, connection.in.bytes);
        this.method = method;
        head = layout.array();
        headSize = layout.size();
        requestBody = body;
        bodyFrom = Math.max(0, Math.min(body.length, FIRST_BYTES - headSize));
        if (bodyFrom > 0) {
            System.arraycopy(body, 0, head, headSize, bodyFrom);
        }
    }

    @Override
    public void sendFirst() {
        if (headSize == 0 || touched) {
            throw new IllegalStateException("prepare once, send once");
        }
        write(ByteBuffer.wrap(head, 0, Math.min(FIRST_BYTES, headSize + bodyFrom)));
    }

    @Override
    public void sendRest(BooleanSupplier mayGoOn) {
        if (headSize > FIRST_BYTES) {
            if (!mayGoOn.getAsBoolean()) {
                throw over(new UpstreamException(BROKE_OFF, "the request was not sent to its end"));
            }
            write(ByteBuffer.wrap(head, FIRST_BYTES, headSize - FIRST_BYTES));
        }
        head = NOTHING;
        if (bodyFrom < requestBody.length) {
            writer = BodyWriter.start(connection.wire, requestBody, bodyFrom, mayGoOn);
        }
        requestBody = NOTHING;
    }

    /** Waits until the body was written or cannot be any more. */
    void awaitBody() throws InterruptedException {
        if (writer != null) {
            writer.await();
        }
    }

    private void write(ByteBuffer bytes) {
        touched = true;
        try {
            while (bytes.hasRemaining()) {
                connection.wire.write(bytes);
                sent = true;
            }
        } catch (ClosedChannelException e) {
            // Cut, or interrupted: how much had gone by then is not known.
            sent = true;
            throw over(new UpstreamException(BROKE_OFF, "the upstream broke off", e));
        } catch (IOException e) {
            sent |= !connection.wire.failsWhole();
            throw over(new UpstreamException(BROKE_OFF, "the upstream broke off", e));
        }
    }

    /** Lets go of a connection that failed; says so if it was a cut that made it fail. */
    private UpstreamException over(UpstreamException failure) {
        if (state.compareAndSet(State.OPEN, State.FINISHED)) {
            pool.discard(connection);
        }
        return state.get() == State.CUT
                ? new UpstreamException(CUT, "the exchange was cut", failure)
                : failure;
    }

    @Override
    public int readHead() {
        try {
            answer = connection.heads.read(method);
        } catch (UpstreamException e) {
            throw over(e);
        }
        connection.body.begin(answer.length());
        return answer.status();
    }

    @Override
    public HeaderBlock headers() {
        return answer().headers();
    }

    @Override
    public long contentLength() {
        return Math.max(-1, answer().length());
    }

    private AnswerHead answer() {
        if (answer == null) {
            throw new IllegalStateException("no answer was read yet");
        }
        return answer;
    }

    @Override
    public int read(byte[] into, int offset, int length) {
        try {
            return connection.body.read(into, offset, length);
        } catch (UpstreamException e) {
            throw over(e);
        }
    }

    @Override
    public void finish() {
        boolean reusable = reusable();
        if (!state.compareAndSet(State.OPEN, State.FINISHED)) {
            return;
        }
        if (!touched) {
            pool.giveBack(connection);
        } else if (reusable && answer != null) {
            pool.keep(connection, answer.idleSeconds());
        } else {
            pool.discard(connection);
        }
    }

    /** What is left over in the buffer belongs to no exchange: such a connection is not trusted. */
    private boolean reusable() {
        return answer != null
                && answer.persistent()
                && connection.body.done()
                && connection.in.available() == 0
                && (writer == null || writer.finished());
    }

    @Override
    public void cut() {
        if (state.compareAndSet(State.OPEN, State.CUT)) {
            pool.discard(connection);
        }
    }

    @Override
    public boolean sent() {
        return sent;
    }
}

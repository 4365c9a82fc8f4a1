package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply.ClientGone;
import io.penstock.gateway.http.Turn;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * Serves the requests of one HTTP/1.1 connection, one after the other.
 *
 * <p>After anything that the door refuses, the connection is closed: what follows on it could be
 * the rest of the refused request, and must never be taken for the next one.
 *
 * <p><b>Threads.</b> The connection's own.
 */
final class Http1Connection {
    private static final System.Logger LOG = System.getLogger(Http1Connection.class.getName());

    /** After the last answer, how long the client may be silent before the close... */
    private static final long LINGER_QUIET_NANOS = 250_000_000L;

    /** ...and how long it may go on sending. */
    private static final long LINGER_NANOS = 2_000_000_000L;

    /** Requests that a client may have answered in a row without ever letting us wait. */
    private static final int PIPELINED = 16;

    private static final byte[] CONTINUE =
            "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Door door;
    private final HelidonSocket socket;
    private final Pace pace;
    private final Intake in;
    private final SocketAddress peer;
    private final @Nullable X509Certificate certificate;
    private final ResponseHead out = new ResponseHead();
    private int pipelined;

    Http1Connection(
            Door door,
            HelidonSocket socket,
            Pace pace,
            Intake in,
            SocketAddress peer,
            @Nullable X509Certificate certificate) {
        this.door = door;
        this.socket = socket;
        this.pace = pace;
        this.in = in;
        this.peer = peer;
        this.certificate = certificate;
    }

    /** Serves until the connection is to be closed. */
    void run() {
        boolean serving = true;
        while (serving) {
            serving = serveOne();
        }
    }

    private boolean serveOne() {
        if (!in.hasBytes()) {
            pace.idle(false);
            if (!in.more()) {
                return false;
            }
            pipelined = 0;
        } else if (++pipelined % PIPELINED == 0) {
            Turn.pass();
        }
        long arrived = pace.header();
        BodyReader bodies = new BodyReader(in, door.limits.bodyBytes(), door.bodies);
        try {
            RequestHead head = HeadReader.read(in, door.limits.headerBytes(), door.http10);
            byte[] body = body(head, bodies);
            if (body == null || !pace.readingEnds()) {
                in.discard();
                return false;
            }
            return answer(head, body, arrived);
        } catch (RequestRefused e) {
            refuse(e);
            return false;
        } catch (UncheckedIOException e) {
            return false;
        } finally {
            bodies.release();
        }
    }

    /** The body; null where the head came too late. */
    private byte @Nullable [] body(RequestHead head, BodyReader bodies) {
        BodyReader.check(head, door.limits.bodyBytes());
        if (head.chunked() || head.contentLength() > in.limit - in.position) {
            if (!pace.readingEnds()) {
                return null;
            }
            if (head.expectContinue() && !in.hasBytes()) {
                write(CONTINUE);
            }
            pace.body();
        }
        return bodies.read(head);
    }

    private boolean answer(RequestHead head, byte[] body, long arrived) {
        InboundRequest request =
                new InboundRequest(
                        head.method(),
                        head.target(),
                        head.headers(),
                        body,
                        peer,
                        certificate,
                        arrived);
        Http1Reply reply = reply(head.method().equals("HEAD"), head.close());
        door.calls.incrementAndGet();
        pace.call();
        in.callBegins();
        try {
            handle(request, reply);
        } finally {
            in.callEnds();
            door.calls.decrementAndGet();
        }
        if (reply.ended() && !reply.keeps()) {
            endAndLinger();
        }
        return reply.keeps();
    }

    private void handle(InboundRequest request, Http1Reply reply) {
        try {
            door.handler.handle(request, reply);
            if (!reply.ended()) {
                unanswered(reply);
            }
        } catch (ClientGone e) {
            pace.cut();
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "event=handler-failed protocol=http/1.1", e);
            unanswered(reply);
        } finally {
            // An interrupt that was meant for the call must not close the kept connection.
            boolean ignored = Thread.interrupted();
        }
    }

    /**
     * The handler ended without an answer, or in the middle of one: a bug, told apart from success.
     */
    private void unanswered(Http1Reply reply) {
        if (reply.begun()) {
            reply.abort();
            return;
        }
        try {
            reply.closeAfterwards();
            byte[] body = Problem.body(500, "internal", "The gateway failed.");
            reply.send(500, Problem.headers(500), body, 0, body.length);
        } catch (ClientGone e) {
            pace.cut();
        }
    }

    private void refuse(RequestRefused refused) {
        if (!pace.readingEnds()) {
            in.discard();
            return;
        }
        door.events.refused(refused.reason().label());
        Http1Reply reply = reply(false, true);
        HeaderBlock headers = door.refusal(refused);
        byte[] body = Problem.body(refused);
        try {
            reply.send(refused.status(), headers, body, 0, body.length);
        } catch (ClientGone e) {
            return;
        }
        endAndLinger();
    }

    /**
     * Says that nothing more will come, and reads on without looking for a while: closing a socket
     * with unread bytes resets it, and the client would lose the answer.
     */
    private void endAndLinger() {
        if (socket instanceof TlsSocket secure) {
            secure.sayClose();
        }
        pace.endOutput();
        long until = door.ticker.getAsLong() + LINGER_NANOS;
        boolean more = true;
        while (more && until - door.ticker.getAsLong() > 0) {
            pace.linger(LINGER_QUIET_NANOS);
            in.position = in.limit;
            more = in.more();
        }
    }

    private Http1Reply reply(boolean head, boolean close) {
        return new Http1Reply(door, socket, pace, in, out, head, close);
    }

    private void write(byte[] bytes) {
        pace.writeBegins();
        try {
            socket.write(BufferData.createReadOnly(bytes, 0, bytes.length));
        } finally {
            pace.writeEnds();
        }
    }
}

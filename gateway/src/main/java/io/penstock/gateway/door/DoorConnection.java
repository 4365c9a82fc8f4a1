package io.penstock.gateway.door;

import io.helidon.common.socket.HelidonSocket;
import io.penstock.gateway.socket.PolledChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One accepted connection, from its first byte to its end, whatever it speaks.
 *
 * <p><b>Threads.</b> {@link #run} its own; the others any.
 */
final class DoorConnection {
    private static final System.Logger LOG = System.getLogger(DoorConnection.class.getName());

    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Door door;
    private final HelidonSocket plain;
    private final Pace pace;
    private volatile @Nullable Intake http1;
    private volatile @Nullable Http2Link http2;

    DoorConnection(Door door, PolledChannel channel) throws IOException {
        this.door = door;
        plain = new PlainSocket(channel);
        pace = new Pace(channel, door.limits, door.ticker, door.events);
    }

    /** Serves it to its end. */
    void run() {
        door.open.add(this);
        if (door.ended) {
            // Accepted in the last moment, when nobody looked any more.
            cut();
        }
        door.events.opened();
        try {
            serve();
        } catch (UncheckedIOException e) {
            LOG.log(Level.DEBUG, "event=connection-ended", e);
        } finally {
            door.open.remove(this);
            door.events.closed();
        }
    }

    /** Cuts what is overdue, and watches for clients that leave while their call runs. */
    void sweep(long now) {
        Http2Link link = http2;
        if (link != null && pace.idleSince(now)) {
            link.closeIdle();
        } else {
            pace.sweep(now);
        }
        if (link != null) {
            link.sweep(now);
        }
        Intake watched = http1;
        if (watched != null && pace.callFor(now) >= Pace.WATCH_AFTER_NANOS) {
            watched.watch();
        }
    }

    /** Closes it where no request is on its way. */
    void closeIdle() {
        Http2Link link = http2;
        if (link != null) {
            link.closeIdle();
        } else if (pace.phase() == Pace.Phase.IDLE) {
            pace.cut();
        }
    }

    void cut() {
        pace.cut();
    }

    private void serve() {
        pace.idle(true);
        ServerTlsContext tls = door.tls;
        if (tls == null) {
            serve(plain, null);
            return;
        }
        TlsSocket secure = new TlsSocket(plain, tls.engine());
        if (!secure.handshake()) {
            return;
        }
        serve(secure, secure.certificate());
        if (!pace.wasCut()) {
            pace.writeBegins();
            secure.sayClose();
            pace.writeEnds();
        }
    }

    private void serve(HelidonSocket socket, @Nullable X509Certificate certificate) {
        Intake in = new Intake(socket::get);
        if (!socket.protocolNegotiated() || !socket.protocol().equals("h2")) {
            pace.whenLate(new LateAnswer(door, socket, pace, in));
        }
        boolean second = speaksHttp2(socket, in);
        if (!pace.readingEnds()) {
            in.discard();
        } else if (second) {
            pace.whenLate(null);
            byte[] first = Arrays.copyOfRange(in.buffer, in.position, in.limit);
            Http2Link link = new Http2Link(door, socket, pace, certificate);
            http2 = link;
            link.run(door.http2, first);
        } else if (in.hasBytes()) {
            http1 = in;
            new Http1Connection(door, socket, pace, in, plain.remotePeer().address(), certificate)
                    .run();
        }
    }

    /** By what was negotiated, otherwise by HTTP/2's preface, which no HTTP/1.1 request begins. */
    private boolean speaksHttp2(HelidonSocket socket, Intake in) {
        if (socket.protocolNegotiated() && !socket.protocol().equals("h2")) {
            boolean ignored = in.more();
            return false;
        }
        boolean first = true;
        while (in.more()) {
            if (first) {
                first = false;
                long ignored = pace.header();
            }
            int there = Math.min(in.limit - in.position, PREFACE.length);
            if (!Arrays.equals(in.buffer, in.position, in.position + there, PREFACE, 0, there)) {
                return false;
            }
            if (there == PREFACE.length) {
                return true;
            }
        }
        return false;
    }
}

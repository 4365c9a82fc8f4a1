package io.penstock.gateway.door;

import io.helidon.http.Header;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.webserver.http.RoutingRequest;
import io.penstock.gateway.door.RequestRefused.Reason;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply.ClientGone;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one HTTP/2 request, held to the same rules as one over HTTP/1.1.
 *
 * <p><b>Threads.</b> The stream's own.
 */
final class Http2Request {
    /** What RFC 9113 section 6.5.2 counts for each line beside its text. */
    private static final int LINE_OVERHEAD = 32;

    private static final int FIRST_BYTES = 16 * 1024;
    private static final byte[] NOTHING = {};

    private final Door door;
    private final Http2Exchange exchange;
    private final RoutingRequest request;
    private int taken;
    private @Nullable InputStream in;
    private boolean whole;

    Http2Request(Door door, Http2Exchange exchange, RoutingRequest request) {
        this.door = door;
        this.exchange = exchange;
        this.request = request;
    }

    boolean isHead() {
        return request.prologue().method().text().equals("HEAD");
    }

    InboundRequest read(
            SocketAddress peer, @Nullable X509Certificate certificate, long arrivedNanos) {
        String method = request.prologue().method().text();
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            throw new RequestRefused(405, Reason.NOT_SUPPORTED, method + " is not allowed.");
        }
        String target = target(request.prologue());
        HeaderBlock headers = headers();
        byte[] body = body();
        return new InboundRequest(method, target, headers, body, peer, certificate, arrivedNanos);
    }

    /** Reads what is left of the body of a refused request, so that its stream can end well. */
    void discard() {
        if (whole || !request.content().hasEntity()) {
            return;
        }
        exchange.readBegins();
        try {
            InputStream stream = stream();
            byte[] away = new byte[FIRST_BYTES];
            int read = 0;
            while (read >= 0) {
                read = stream.read(away);
            }
        } catch (IOException | RuntimeException e) {
            throw new ClientGone("the body broke off", e);
        } finally {
            exchange.waitEnds();
        }
        if (exchange.cancelled()) {
            throw new ClientGone("the body took too long", new IllegalStateException("late"));
        }
    }

    /** Gives the body's memory back. */
    void release() {
        door.bodies.giveBack(taken);
        taken = 0;
    }

    /** The target as it was sent: Helidon splits it, and the parts are put together again. */
    private static String target(HttpPrologue prologue) {
        String path = prologue.uriPath().rawPath();
        String target = prologue.hasQuery() ? path + "?" + prologue.query().rawValue() : path;
        if (prologue.fragment().hasValue() || target.isEmpty() || target.charAt(0) != '/') {
            throw bad("The request target must be a path.");
        }
        for (int i = 0; i < target.length(); i++) {
            if (!Octets.target(target.charAt(i))) {
                throw bad("The request target holds a byte that must be escaped.");
            }
        }
        return target;
    }

    private HeaderBlock headers() {
        HeaderBlock headers = new HeaderBlock();
        int bytes = 0;
        int hosts = 0;
        for (Header header : request.headers()) {
            for (String value : header.allValues()) {
                String name = header.name();
                bytes += name.length() + value.length() + LINE_OVERHEAD;
                check(name, value, bytes, headers.size());
                if (name.equalsIgnoreCase("Host")) {
                    hosts++;
                    if (!Octets.host(value)) {
                        throw bad("The authority is not valid.");
                    }
                }
                if (!dropped(name, value)) {
                    headers.add(name, value);
                }
            }
        }
        if (hosts != 1) {
            throw bad("Exactly one authority is needed.");
        }
        return headers;
    }

    private void check(String name, String value, int bytes, int lines) {
        if (bytes > door.limits.headerBytes() || lines >= HeadReader.LINES_MAX) {
            throw new RequestRefused(431, Reason.HEAD_TOO_LARGE, "The head is too large.");
        }
        for (int i = 0; i < name.length(); i++) {
            if (!Octets.token(name.charAt(i))) {
                throw bad("A header's name is not valid.");
            }
        }
        for (int i = 0; i < value.length(); i++) {
            if (!Octets.value(value.charAt(i))) {
                throw bad("A header value holds a control character or a byte beyond ASCII.");
            }
        }
    }

    /** Framing is left out; what only HTTP/1.1 may say makes a request malformed. */
    private static boolean dropped(String name, String value) {
        return switch (name.toLowerCase(java.util.Locale.ROOT)) {
            case "te", "trailer", "content-length" -> true;
            case "expect" -> {
                if (!value.equalsIgnoreCase("100-continue")) {
                    throw new RequestRefused(
                            417, Reason.NOT_SUPPORTED, "Expect must be 100-continue.");
                }
                yield true;
            }
            case "connection",
                    "keep-alive",
                    "proxy-connection",
                    "transfer-encoding",
                    "upgrade",
                    "http2-settings" ->
                    throw new RequestRefused(
                            400, Reason.BAD_FRAMING, "A header of HTTP/1.1 was sent over HTTP/2.");
            default -> false;
        };
    }

    private byte[] body() {
        if (!request.content().hasEntity()) {
            return NOTHING;
        }
        long announced = announced();
        if (announced > door.limits.bodyBytes()) {
            throw tooLarge();
        }
        exchange.readBegins();
        byte[] body;
        try {
            body = readAll();
        } catch (RequestException | IOException e) {
            throw new ClientGone("the body broke off", e);
        } finally {
            exchange.waitEnds();
        }
        if (exchange.cancelled()) {
            // A reader that was woken reports the end of the body: never take it for the whole.
            if (exchange.late()) {
                door.events.timedOut("body");
            }
            throw new ClientGone("the body broke off", new IllegalStateException("cancelled"));
        }
        whole = true;
        return body;
    }

    private long announced() {
        try {
            return request.headers().contentLength().orElse(0);
        } catch (IllegalArgumentException e) {
            throw new RequestRefused(400, Reason.BAD_FRAMING, "Content-Length is not one number.");
        }
    }

    private byte[] readAll() throws IOException {
        InputStream stream = stream();
        byte[] body = NOTHING;
        int filled = 0;
        while (true) {
            if (filled == body.length) {
                body = grow(body);
            }
            int read = stream.read(body, filled, body.length - filled);
            if (read < 0) {
                return filled == body.length ? body : Arrays.copyOf(body, filled);
            }
            filled += read;
            if (filled > door.limits.bodyBytes()) {
                throw tooLarge();
            }
        }
    }

    /** One byte more than the bound at most, to see that it is passed. */
    private byte[] grow(byte[] body) {
        int larger = Math.max(FIRST_BYTES, 2 * body.length);
        larger = Math.min(larger, door.limits.bodyBytes() + 1);
        door.bodies.take(larger - taken);
        taken = larger;
        return Arrays.copyOf(body, larger);
    }

    private InputStream stream() {
        InputStream stream = in;
        if (stream == null) {
            stream = request.content().inputStream();
            in = stream;
        }
        return stream;
    }

    private RequestRefused tooLarge() {
        return new RequestRefused(
                413,
                Reason.BODY_TOO_LARGE,
                "The body is larger than " + door.limits.bodyBytes() + " bytes.");
    }

    private static RequestRefused bad(String detail) {
        return new RequestRefused(400, Reason.BAD_HEAD, detail);
    }
}

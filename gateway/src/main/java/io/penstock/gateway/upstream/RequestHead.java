package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.BAD_REQUEST;

import io.penstock.gateway.http.HeaderBlock;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Lays out request heads for one upstream: what never changes is kept as bytes.
 *
 * <p><b>Guarantee.</b> No character of a caller's can end a line: what is no token, or holds CR,
 * LF, NUL or what one byte cannot hold, is refused. A configured header replaces the caller's of
 * that name. The body is framed by our own {@code Content-Length} and nothing else.
 *
 * <p>Holds secrets: shows none of them.
 */
final class RequestHead {
    /** The caller's lines of these names give way to ours, or mean nothing to the next hop. */
    private static final String[] OURS = {"Host", "Expect"};

    private static final byte[] HTTP = " HTTP/1.1\r\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] LENGTH = "Content-Length: ".getBytes(StandardCharsets.ISO_8859_1);

    /** The longest length that has a bit of its own in {@link #lengths}. */
    private static final int LENGTH_BIT_MAX = 63;

    /** The configured names, Host, and {@link #OURS}. */
    private final String[] replacing;

    /** One bit for each length that one of them has: most names are told apart by that. */
    private final long lengths;

    private final byte[] fixed;

    /**
     * @throws IllegalArgumentException where a configured header cannot be written
     */
    RequestHead(URI url, Map<String, String> headers) {
        Map<String, String> lines = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        lines.put("Host", host(url));
        headers.forEach(
                (name, value) -> {
                    check(name, value);
                    lines.put(name, value);
                });
        replacing = Stream.concat(lines.keySet().stream(), Stream.of(OURS)).toArray(String[]::new);
        lengths = Stream.of(replacing).mapToLong(RequestHead::lengthBit).reduce(0, (a, b) -> a | b);
        StringBuilder text = new StringBuilder();
        lines.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        fixed = text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void check(String name, String value) {
        if (!Tokens.token(name)) {
            throw new IllegalArgumentException("header name '" + name + "' is no HTTP token");
        }
        if (HopByHop.stays(name) || name.equalsIgnoreCase("Expect")) {
            throw new IllegalArgumentException("header " + name + " cannot be configured");
        }
        for (int i = 0; i < value.length(); i++) {
            if (!Tokens.value(value.charAt(i))) {
                throw new IllegalArgumentException(
                        "header " + name + " has a character that HTTP forbids at " + i);
            }
        }
    }

    private static String host(URI url) {
        String host = url.getHost();
        return url.getPort() < 0 ? host : host + ":" + url.getPort();
    }

    /** Writes the head of a request into an array of its own size. */
    Layout lay(String method, String target, HeaderBlock headers, int bodyBytes, byte[] scratch) {
        Layout layout = new Layout(scratch);
        if (!Tokens.token(method)) {
            throw refused("a method that is no token");
        }
        layout.text(method);
        layout.one(' ');
        layout.target(target);
        layout.bytes(HTTP);
        layout.bytes(fixed);
        boolean named = headers.count("Connection") > 0;
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!replaced(name) && !(named && namedByConnection(headers, name))) {
                layout.line(name, headers.value(i));
            }
        }
        if (bodyBytes > 0 || expectsBody(method)) {
            layout.bytes(LENGTH);
            layout.number(bodyBytes);
            layout.end();
        }
        layout.end();
        return layout;
    }

    private boolean replaced(String name) {
        if ((lengths & lengthBit(name)) != 0) {
            for (String each : replacing) {
                if (each.equalsIgnoreCase(name)) {
                    return true;
                }
            }
        }
        return HopByHop.stays(name);
    }

    private static long lengthBit(String name) {
        return 1L << Math.min(name.length(), LENGTH_BIT_MAX);
    }

    private static boolean namedByConnection(HeaderBlock headers, String name) {
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase("Connection")
                    && HopByHop.lists(headers.value(i), name)) {
                return true;
            }
        }
        return false;
    }

    private static boolean expectsBody(String method) {
        return method.equals("POST") || method.equals("PUT") || method.equals("PATCH");
    }

    private static UpstreamException refused(String what) {
        return new UpstreamException(BAD_REQUEST, "the request cannot be forwarded: " + what);
    }

    @Override
    public String toString() {
        return "RequestHead" + Arrays.toString(replacing);
    }

    /** A head being written into an array that grows where it must. */
    static final class Layout {
        private byte[] bytes;
        private int size;

        private Layout(byte[] scratch) {
            bytes = scratch;
        }

        /** What was written; the scratch array where it had room. */
        byte[] array() {
            return bytes;
        }

        int size() {
            return size;
        }

        private void room(int more) {
            if (bytes.length - size < more) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
            }
        }

        private void one(char character) {
            room(1);
            bytes[size++] = (byte) character;
        }

        private void end() {
            room(2);
            bytes[size++] = '\r';
            bytes[size++] = '\n';
        }

        private void bytes(byte[] part) {
            room(part.length);
            System.arraycopy(part, 0, bytes, size, part.length);
            size += part.length;
        }

        private void text(String ascii) {
            int length = ascii.length();
            room(length);
            byte[] to = bytes;
            int at = size;
            for (int i = 0; i < length; i++) {
                to[at + i] = (byte) ascii.charAt(i);
            }
            size += length;
        }

        /** The target exactly as it came; only what would end it or the line is refused. */
        private void target(String target) {
            int length = target.length();
            if (length == 0 || target.charAt(0) != '/') {
                throw refused("a target that is no path");
            }
            room(length);
            byte[] to = bytes;
            int at = size;
            for (int i = 0; i < length; i++) {
                char character = target.charAt(i);
                if (character <= ' ' || character == 0x7F || character > 0xFF) {
                    throw refused("a target with a character that HTTP forbids");
                }
                to[at + i] = (byte) character;
            }
            size += length;
        }

        private void line(String name, String value) {
            int nameLength = name.length();
            int valueLength = value.length();
            room(nameLength + valueLength + 4);
            if (!Tokens.token(name)) {
                throw refused("a header name that is no token");
            }
            text(name);
            byte[] to = bytes;
            int at = size;
            to[at++] = ':';
            to[at++] = ' ';
            for (int i = 0; i < valueLength; i++) {
                char character = value.charAt(i);
                if (!Tokens.value(character)) {
                    throw refused("a header value with a character that HTTP forbids");
                }
                to[at + i] = (byte) character;
            }
            size = at + valueLength;
            end();
        }

        private void number(int number) {
            text(Integer.toString(number));
        }
    }
}

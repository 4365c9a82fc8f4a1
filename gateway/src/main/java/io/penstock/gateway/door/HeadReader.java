package io.penstock.gateway.door;

import io.penstock.gateway.door.RequestRefused.Reason;
import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;

/**
 * Reads the head of one HTTP/1.1 request from the bytes as they came.
 *
 * <p>Stricter than RFC 9112 allows a server to be: what two readers could understand differently is
 * refused, never repaired. One line ending, no folded lines, no white space around names, no bytes
 * beyond ASCII, one {@code Host}, one length or one {@code chunked}.
 */
final class HeadReader {
    /** Far more than any client sends; keeps the linear look-ups in a head cheap. */
    static final int LINES_MAX = 200;

    private static final int METHOD_MAX = 32;
    private static final byte[] VERSION = "HTTP/1.1".getBytes(StandardCharsets.ISO_8859_1);

    private final Intake in;
    private final int headerBytes;
    private final boolean http10;
    private final Framing framing = new Framing();
    private final HeaderBlock headers = new HeaderBlock();

    private HeadReader(Intake in, int headerBytes, boolean http10) {
        this.in = in;
        this.headerBytes = headerBytes;
        this.http10 = http10;
    }

    /**
     * Waits for a whole head and takes it off {@code in}.
     *
     * @param http10 whether HTTP/1.0 may look too: GET and HEAD without a body
     * @throws RequestRefused where it is not one that the door accepts
     */
    static RequestHead read(Intake in, int headerBytes, boolean http10) {
        return new HeadReader(in, headerBytes, http10).read();
    }

    private RequestHead read() {
        // First: waiting for more bytes moves them, and with them the position.
        int length = length();
        int end = in.position + length;
        byte[] bytes = in.buffer;
        int methodEnd = methodEnd(bytes, in.position, end);
        int targetEnd = targetEnd(bytes, methodEnd + 1, end);
        int next = version(bytes, targetEnd + 1, end);
        boolean old = bytes[next - 3] == '0';
        String method = text(bytes, in.position, methodEnd);
        String target = text(bytes, methodEnd + 1, targetEnd);
        int lines = 0;
        while (bytes[next] != '\r') {
            if (++lines > LINES_MAX) {
                throw new RequestRefused(431, Reason.HEAD_TOO_LARGE, "Too many header lines.");
            }
            next = line(bytes, next);
        }
        if (next != end - 2) {
            throw bad("A header line begins with a control character.");
        }
        in.position = end;
        checkMethod(method, target);
        return old
                ? framing.headOfHttp10(method, target, headers)
                : framing.head(method, target, headers);
    }

    /** The head's length in bytes, its empty line included; waits until it is there. */
    private int length() {
        int scanned = 0;
        int lineStart = 0;
        while (true) {
            byte[] bytes = in.buffer;
            int base = in.position;
            int there = in.limit - base;
            for (; scanned < there && scanned < headerBytes; scanned++) {
                if (bytes[base + scanned] != '\n') {
                    continue;
                }
                if (scanned == 0 || bytes[base + scanned - 1] != '\r') {
                    throw bad("A line of the head does not end in CR LF.");
                }
                if (scanned - lineStart == 1) {
                    return scanned + 1;
                }
                lineStart = scanned + 1;
            }
            if (there > 0 && !Octets.token(bytes[base])) {
                throw bad("This is not an HTTP request.");
            }
            if (scanned >= headerBytes) {
                throw lineStart == 0
                        ? new RequestRefused(414, Reason.HEAD_TOO_LARGE, "The target is too long.")
                        : new RequestRefused(431, Reason.HEAD_TOO_LARGE, "The head is too large.");
            }
            if (!in.more()) {
                throw bad("The connection ended inside the head.");
            }
        }
    }

    private static int methodEnd(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && Octets.token(bytes[at])) {
            at++;
        }
        if (at == from || at - from > METHOD_MAX || at >= end || bytes[at] != ' ') {
            throw bad("The request line does not begin with a method.");
        }
        return at;
    }

    private static int targetEnd(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && Octets.target(bytes[at])) {
            at++;
        }
        if (at == from || at >= end || bytes[at] != ' ') {
            throw bad("The request target is missing or holds a byte that must be escaped.");
        }
        return at;
    }

    /** Checks the version; gives the place after the request line. */
    private int version(byte[] bytes, int from, int end) {
        if (end - from < VERSION.length + 2) {
            throw bad("The request line has no HTTP version.");
        }
        boolean http = true;
        for (int i = 0; i < 5; i++) {
            http &= bytes[from + i] == VERSION[i];
        }
        http &= digit(bytes[from + 5]) && bytes[from + 6] == '.' && digit(bytes[from + 7]);
        if (!http || bytes[from + 8] != '\r' || bytes[from + 9] != '\n') {
            throw bad("The request line does not end with an HTTP version.");
        }
        boolean known = bytes[from + 7] == '1' || http10 && bytes[from + 7] == '0';
        if (bytes[from + 5] != '1' || !known) {
            throw new RequestRefused(505, Reason.NOT_SUPPORTED, "Use HTTP/1.1 or HTTP/2.");
        }
        return from + 10;
    }

    /** Reads one header line; gives the place after it. */
    private int line(byte[] bytes, int from) {
        int colon = from;
        while (Octets.token(bytes[colon])) {
            colon++;
        }
        if (colon == from || bytes[colon] != ':') {
            throw bad("A header line does not begin with a name and a colon.");
        }
        int at = colon + 1;
        while (bytes[at] == ' ' || bytes[at] == '\t') {
            at++;
        }
        int start = at;
        int last = at;
        while (Octets.value(bytes[at])) {
            if (bytes[at] != ' ' && bytes[at] != '\t') {
                last = at + 1;
            }
            at++;
        }
        if (bytes[at] != '\r' || bytes[at + 1] != '\n') {
            throw bad("A header value holds a control character or a byte beyond ASCII.");
        }
        String name = HeaderNames.of(bytes, from, colon - from);
        String value = text(bytes, start, last);
        if (!framing.take(name, value)) {
            headers.add(name, value);
        }
        return at + 2;
    }

    private static void checkMethod(String method, String target) {
        if (method.equals("CONNECT") || method.equals("TRACE")) {
            throw new RequestRefused(405, Reason.NOT_SUPPORTED, method + " is not allowed.");
        }
        if (target.charAt(0) != '/') {
            throw bad("The request target must be a path.");
        }
    }

    private static boolean digit(byte octet) {
        return octet >= '0' && octet <= '9';
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
    }

    private static RequestRefused bad(String detail) {
        return new RequestRefused(400, Reason.BAD_HEAD, detail);
    }
}

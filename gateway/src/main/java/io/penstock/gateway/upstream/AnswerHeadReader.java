package io.penstock.gateway.upstream;

import static io.penstock.gateway.upstream.UpstreamException.Kind.BROKE_OFF;
import static io.penstock.gateway.upstream.UpstreamException.Kind.NOT_HTTP;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.gateway.http.HeaderBlock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the head of an answer from bytes, and refuses whatever two readers could understand in two
 * ways.
 *
 * <p><b>Bounds.</b> A head has at most {@link #HEAD_BYTES} bytes in {@link #LINES} lines of at most
 * {@link Inbound#CAPACITY}; at most {@link #INTERIM} interim answers (1xx) are skipped.
 *
 * <p><b>Refused.</b> Bare LF or CR, folded lines, control characters, a name that is no token, two
 * lengths even if equal, a length beside a transfer coding, any coding but one {@code chunked}, a
 * coding in HTTP/1.0, an answer that switches protocols.
 */
final class AnswerHeadReader {
    static final int HEAD_BYTES = 64 * 1024;
    static final int LINES = 200;
    static final int INTERIM = 16;

    /** Longer lengths than 10^18 bytes are nobody's; 18 digits always fit a long. */
    private static final int LENGTH_DIGITS = 18;

    private final Wire wire;
    private final Inbound in;
    private int budget;

    AnswerHeadReader(Wire wire, Inbound in) {
        this.wire = wire;
        this.in = in;
    }

    /** Waits for the final answer to a request of that method. */
    AnswerHead read(String method) {
        for (int interim = 0; interim <= INTERIM; interim++) {
            budget = HEAD_BYTES;
            boolean old = statusLine();
            int status = status();
            HeaderBlock headers = lines();
            if (status >= 200) {
                return head(method, status, headers, old);
            }
            if (status == 101) {
                throw refused("a switch of protocols that nobody asked for");
            }
        }
        throw refused("more than " + INTERIM + " interim answers");
    }

    /** Takes the status line; whether it speaks HTTP/1.0. */
    private boolean statusLine() {
        if (in.available() == 0 && !in.fill(wire)) {
            throw new UpstreamException(BROKE_OFF, "the upstream closed without an answer");
        }
        int end = take("the status line");
        byte[] b = in.bytes;
        int at = in.lineStart;
        boolean shaped =
                end - at >= 12
                        && b[at] == 'H'
                        && b[at + 1] == 'T'
                        && b[at + 2] == 'T'
                        && b[at + 3] == 'P'
                        && b[at + 4] == '/'
                        && b[at + 5] == '1'
                        && b[at + 6] == '.'
                        && (b[at + 7] == '0' || b[at + 7] == '1')
                        && b[at + 8] == ' '
                        && (end - at == 12 || b[at + 12] == ' ');
        if (!shaped) {
            throw refused("a line that is no status line");
        }
        for (int i = at + 12; i < end; i++) {
            if (!Tokens.value(b[i] & 0xFF)) {
                throw refused("a control character in the status line");
            }
        }
        return b[at + 7] == '0';
    }

    private int status() {
        int status = 0;
        for (int i = in.lineStart + 9; i < in.lineStart + 12; i++) {
            int digit = in.bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                throw refused("a status that is no number");
            }
            status = status * 10 + digit;
        }
        if (status < 100 || status > 599) {
            throw refused("a status outside 100 to 599");
        }
        return status;
    }

    /** Takes header lines up to the empty one. Also reads trailers. */
    private HeaderBlock lines() {
        HeaderBlock headers = new HeaderBlock();
        for (int line = 0; line <= LINES; line++) {
            int end = take("a header line");
            if (end == in.lineStart) {
                return headers;
            }
            headerLine(headers, in.lineStart, end);
        }
        throw refused("more than " + LINES + " header lines");
    }

    /** Takes trailers, which are checked and dropped. */
    void trailers() {
        budget = HEAD_BYTES;
        lines();
    }

    private int take(String what) {
        int end = in.line(wire, Math.min(budget, Inbound.CAPACITY), what);
        budget -= end + 2 - in.lineStart;
        if (budget <= 0) {
            throw refused("a head of more than " + HEAD_BYTES + " bytes");
        }
        return end;
    }

    private void headerLine(HeaderBlock headers, int start, int end) {
        byte[] b = in.bytes;
        int colon = start;
        while (colon < end && Tokens.token(b[colon] & 0xFF)) {
            colon++;
        }
        if (colon == start || colon == end || b[colon] != ':') {
            throw refused("a header line without a proper name");
        }
        int first = colon + 1;
        while (first < end && blank(b[first])) {
            first++;
        }
        int last = end;
        while (last > first && blank(b[last - 1])) {
            last--;
        }
        for (int i = first; i < last; i++) {
            if (!Tokens.value(b[i] & 0xFF)) {
                throw refused("a control character in a header");
            }
        }
        headers.add(
                new String(b, start, colon - start, ISO_8859_1),
                new String(b, first, last - first, ISO_8859_1));
    }

    private static boolean blank(byte b) {
        return b == ' ' || b == '\t';
    }

    private static AnswerHead head(String method, int status, HeaderBlock headers, boolean old) {
        boolean closes = old;
        int idleSeconds = -1;
        String length = null;
        String coding = null;
        for (int i = 0; i < headers.size(); i++) {
            String value = headers.value(i);
            switch (headers.name(i).length()) {
                case 10 -> {
                    if (headers.name(i).equalsIgnoreCase("Connection")) {
                        closes |= HopByHop.lists(value, "close");
                    } else if (headers.name(i).equalsIgnoreCase("Keep-Alive")) {
                        idleSeconds = idleSeconds(value);
                    }
                }
                case 14 -> {
                    if (headers.name(i).equalsIgnoreCase("Content-Length")) {
                        length = only(length, value, "Content-Length");
                    }
                }
                case 17 -> {
                    if (headers.name(i).equalsIgnoreCase("Transfer-Encoding")) {
                        coding = only(coding, value, "Transfer-Encoding");
                    }
                }
                default -> {}
            }
        }
        long framing = framing(length, coding, old);
        boolean described = status == 304 || method.equals("HEAD");
        HopByHop.strip(headers);
        if (described && length != null && status != 204) {
            headers.add("Content-Length", length);
        }
        if (described || status == 204) {
            framing = 0;
        }
        boolean persistent = !closes && framing != AnswerHead.TO_THE_END;
        return new AnswerHead(status, headers, framing, persistent, idleSeconds);
    }

    private static String only(@Nullable String former, String value, String name) {
        if (former != null) {
            throw refused("two " + name + " lines");
        }
        return value;
    }

    private static long framing(@Nullable String length, @Nullable String coding, boolean old) {
        if (coding != null) {
            if (length != null) {
                throw refused("Content-Length beside Transfer-Encoding");
            }
            if (old || !coding.equalsIgnoreCase("chunked")) {
                throw refused("a transfer coding other than chunked");
            }
            return AnswerHead.CHUNKED;
        }
        return length == null ? AnswerHead.TO_THE_END : number(length);
    }

    private static long number(String digits) {
        if (digits.isEmpty() || digits.length() > LENGTH_DIGITS) {
            throw refused("a Content-Length that is no length");
        }
        long number = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw refused("a Content-Length that is no length");
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** The {@code timeout} of a Keep-Alive line, a hint that is ignored where it is not clear. */
    private static int idleSeconds(String value) {
        int at = value.indexOf("timeout=");
        if (at < 0) {
            return -1;
        }
        int seconds = 0;
        int i = at + "timeout=".length();
        int limit = Math.min(value.length(), i + 6);
        if (i == limit) {
            return -1;
        }
        for (; i < limit && value.charAt(i) >= '0' && value.charAt(i) <= '9'; i++) {
            seconds = seconds * 10 + (value.charAt(i) - '0');
        }
        return seconds;
    }

    static UpstreamException refused(String what) {
        return new UpstreamException(NOT_HTTP, "the upstream answered with " + what);
    }
}

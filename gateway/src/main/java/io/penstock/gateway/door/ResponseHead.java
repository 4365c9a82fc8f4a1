package io.penstock.gateway.door;

import io.penstock.gateway.http.HeaderBlock;
import java.util.Arrays;

/**
 * Bytes of an HTTP/1.1 answer, laid out in one array that is kept for the connection's next
 * answers.
 *
 * <p><b>Threads.</b> One.
 */
final class ResponseHead {
    private static final int FIRST_BYTES = 2048;

    /** What is kept between answers at most: a large answer must not pin its size. */
    private static final int KEPT_BYTES = 64 * 1024;

    private byte[] bytes = new byte[FIRST_BYTES];
    private int length;

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Forgets what was laid out. */
    void clear() {
        length = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[FIRST_BYTES];
        }
    }

    void status(int status) {
        text("HTTP/1.1 ");
        decimal(status);
        octet(' ');
        text(reason(status));
        line();
    }

    /** Lays out all lines but those that the door adds itself. */
    void headers(HeaderBlock headers) {
        for (int i = 0; i < headers.size(); i++) {
            String name = headers.name(i);
            if (!ResponseNames.doors(name)) {
                header(name, headers.value(i));
            }
        }
    }

    void header(String name, String value) {
        name(name);
        value(value);
    }

    void contentLength(long value) {
        text("Content-Length: ");
        decimal(value);
        line();
    }

    void raw(byte[] more) {
        raw(more, 0, more.length);
    }

    void raw(byte[] more, int offset, int count) {
        ensure(count);
        System.arraycopy(more, offset, bytes, length, count);
        length += count;
    }

    void line() {
        ensure(2);
        bytes[length++] = '\r';
        bytes[length++] = '\n';
    }

    /** A chunk's size line. */
    void chunkSize(int size) {
        ensure(10);
        int shift = 28;
        while (shift > 0 && size >>> shift == 0) {
            shift -= 4;
        }
        for (; shift >= 0; shift -= 4) {
            bytes[length++] = (byte) Character.forDigit(size >>> shift & 15, 16);
        }
        line();
    }

    private void name(String name) {
        int count = name.length();
        ensure(count + 2);
        byte[] to = bytes;
        int at = length;
        for (int i = 0; i < count; i++) {
            to[at + i] = (byte) checkedName(name, i);
        }
        if (count == 0) {
            throw new IllegalArgumentException("empty header name");
        }
        to[at + count] = ':';
        to[at + count + 1] = ' ';
        length = at + count + 2;
    }

    private void value(String value) {
        int count = value.length();
        ensure(count + 2);
        byte[] to = bytes;
        int at = length;
        for (int i = 0; i < count; i++) {
            to[at + i] = (byte) checkedValue(value, i);
        }
        length = at + count;
        line();
    }

    /**
     * Refuses what could not be sent as it is, above all line ends.
     *
     * @throws IllegalArgumentException where a caller should have refused it before
     */
    static void check(String name, String value) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("empty header name");
        }
        for (int i = 0; i < name.length(); i++) {
            checkedName(name, i);
        }
        for (int i = 0; i < value.length(); i++) {
            checkedValue(value, i);
        }
    }

    private static char checkedName(String name, int at) {
        char c = name.charAt(at);
        if (!Octets.token(c)) {
            throw new IllegalArgumentException("not a header name: character " + (int) c);
        }
        return c;
    }

    private static char checkedValue(String value, int at) {
        char c = value.charAt(at);
        if (c < ' ' && c != '\t' || c == 127 || c > 255) {
            throw new IllegalArgumentException("not a header value: character " + (int) c);
        }
        return c;
    }

    private void text(String ascii) {
        int count = ascii.length();
        ensure(count);
        byte[] to = bytes;
        int at = length;
        for (int i = 0; i < count; i++) {
            to[at + i] = (byte) ascii.charAt(i);
        }
        length = at + count;
    }

    private void octet(char c) {
        ensure(1);
        bytes[length++] = (byte) c;
    }

    private void decimal(long value) {
        int digits = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            digits++;
        }
        ensure(digits);
        long rest = value;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += digits;
    }

    private void ensure(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    static String reason(int status) {
        return switch (status) {
            case 200 -> "OK";
            case 201 -> "Created";
            case 202 -> "Accepted";
            case 204 -> "No Content";
            case 206 -> "Partial Content";
            case 301 -> "Moved Permanently";
            case 302 -> "Found";
            case 304 -> "Not Modified";
            case 400 -> "Bad Request";
            case 401 -> "Unauthorized";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 406 -> "Not Acceptable";
            case 408 -> "Request Timeout";
            case 409 -> "Conflict";
            case 413 -> "Content Too Large";
            case 414 -> "URI Too Long";
            case 415 -> "Unsupported Media Type";
            case 417 -> "Expectation Failed";
            case 429 -> "Too Many Requests";
            case 431 -> "Request Header Fields Too Large";
            case 500 -> "Internal Server Error";
            case 501 -> "Not Implemented";
            case 502 -> "Bad Gateway";
            case 503 -> "Service Unavailable";
            case 504 -> "Gateway Timeout";
            case 505 -> "HTTP Version Not Supported";
            default -> "";
        };
    }
}

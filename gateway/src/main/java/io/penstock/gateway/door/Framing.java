package io.penstock.gateway.door;

import io.penstock.gateway.door.RequestRefused.Reason;
import io.penstock.gateway.http.HeaderBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request's head says about its connection and where its body ends: taken out of the head,
 * because it concerns this connection alone.
 *
 * <p>Two statements about the body's length, even equal ones, are refused: whoever stands before or
 * behind us might read them differently (request smuggling).
 */
final class Framing {
    /** More digits than any length that fits a {@code long}. */
    private static final int LENGTH_DIGITS_MAX = 18;

    private static final Set<String> CODINGS =
            Set.of("chunked", "gzip", "x-gzip", "deflate", "compress", "x-compress");

    private @Nullable String host;
    private @Nullable String length;
    private @Nullable String coding;
    private @Nullable String expect;
    private @Nullable String upgrade;
    private final List<String> connection = new ArrayList<>(2);

    /** Takes a header that is about the connection or the body's end; false for any other. */
    boolean take(String name, String value) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE");
            case 4 -> {
                if (name.equalsIgnoreCase("Host")) {
                    host = once(host, value, "Host");
                }
                yield false;
            }
            case 6 -> {
                boolean mine = name.equalsIgnoreCase("Expect");
                if (mine) {
                    expect = once(expect, value, "Expect");
                }
                yield mine;
            }
            case 7 -> upgrade(name, value);
            case 10 -> connection(name, value);
            case 14 -> length(name, value);
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> {
                boolean mine = name.equalsIgnoreCase("Transfer-Encoding");
                if (mine) {
                    coding = once(coding, value, "Transfer-Encoding");
                }
                yield mine;
            }
            default -> false;
        };
    }

    /** Judges all of it together. */
    RequestHead head(String method, String target, HeaderBlock headers) {
        if (host == null || !Octets.host(host)) {
            throw bad("Exactly one valid Host header is needed.");
        }
        if (coding != null && length != null) {
            throw bad("Both Content-Length and Transfer-Encoding were sent.");
        }
        if (coding != null && !coding.equalsIgnoreCase("chunked")) {
            throw unknownCoding(coding);
        }
        if (upgrade != null) {
            checkUpgrade(upgrade);
        }
        if (expect != null && !expect.equalsIgnoreCase("100-continue")) {
            throw new RequestRefused(417, Reason.NOT_SUPPORTED, "Expect must be 100-continue.");
        }
        boolean close = false;
        for (String token : connection) {
            close |= token.equals("close");
            if (!token.equals("host")) {
                headers.remove(token);
            }
        }
        long bytes = length == null ? 0 : parse(length);
        return new RequestHead(
                method, target, headers, bytes, coding != null, close, expect != null);
    }

    /**
     * The same for HTTP/1.0, which knows no chunks, no interim answers and need not name a host:
     * only what has no body, and the connection ends after the answer.
     */
    RequestHead headOfHttp10(String method, String target, HeaderBlock headers) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            throw new RequestRefused(
                    505, Reason.NOT_SUPPORTED, "Over HTTP/1.0 only GET and HEAD are answered.");
        }
        if (host != null && !Octets.host(host)) {
            throw bad("The Host header is not valid.");
        }
        if (coding != null || length != null && parse(length) > 0) {
            throw bad("A body was sent over HTTP/1.0.");
        }
        connection.forEach(headers::remove);
        return new RequestHead(method, target, headers, 0, false, true, false);
    }

    private boolean upgrade(String name, String value) {
        if (name.equalsIgnoreCase("Upgrade")) {
            upgrade = upgrade == null ? value : upgrade + "," + value;
            return true;
        }
        return name.equalsIgnoreCase("Trailer");
    }

    private boolean connection(String name, String value) {
        if (!name.equalsIgnoreCase("Connection")) {
            return name.equalsIgnoreCase("Keep-Alive");
        }
        for (String token : value.split(",", -1)) {
            String trimmed = token.strip().toLowerCase(Locale.ROOT);
            if (!trimmed.isEmpty()) {
                connection.add(trimmed);
            }
        }
        return true;
    }

    private boolean length(String name, String value) {
        if (!name.equalsIgnoreCase("Content-Length")) {
            return name.equalsIgnoreCase("HTTP2-Settings");
        }
        length = once(length, value, "Content-Length");
        return true;
    }

    private static String once(@Nullable String before, String value, String name) {
        if (before != null) {
            throw bad(name + " was sent more than once.");
        }
        return value;
    }

    /**
     * {@code h2c} is ignored, as RFC 9110 section 7.8 allows and as Java's own client needs; a
     * client that asks for anything else would not understand our plain answer.
     */
    private static void checkUpgrade(String asked) {
        for (String each : asked.split(",", -1)) {
            if (!each.strip().equalsIgnoreCase("h2c")) {
                throw new RequestRefused(501, Reason.NOT_SUPPORTED, "Upgrade is not supported.");
            }
        }
    }

    private static RequestRefused unknownCoding(String coding) {
        String[] codings = coding.split(",", -1);
        boolean known = codings.length > 1 && last(codings).equals("chunked");
        for (int i = 0; i < codings.length - 1; i++) {
            String each = codings[i].strip().toLowerCase(Locale.ROOT);
            known &= CODINGS.contains(each) && !each.equals("chunked");
        }
        return known
                ? new RequestRefused(
                        501, Reason.BAD_FRAMING, "No transfer coding but chunked is supported.")
                : bad("The transfer coding is not known.");
    }

    private static String last(String[] codings) {
        return codings[codings.length - 1].strip().toLowerCase(Locale.ROOT);
    }

    private static long parse(String digits) {
        boolean valid = !digits.isEmpty();
        for (int i = 0; i < digits.length(); i++) {
            valid &= digits.charAt(i) >= '0' && digits.charAt(i) <= '9';
        }
        if (!valid) {
            throw bad("Content-Length is not a number.");
        }
        return digits.length() > LENGTH_DIGITS_MAX ? Long.MAX_VALUE : Long.parseLong(digits);
    }

    private static RequestRefused bad(String detail) {
        return new RequestRefused(400, Reason.BAD_FRAMING, detail);
    }
}

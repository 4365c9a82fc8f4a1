package io.penstock.gateway.api;

import io.penstock.gateway.call.Refusal;
import java.util.UUID;

/**
 * Problem documents (RFC 9457), and the members that a refusal has in every form.
 *
 * <p>A refusal's {@code type} is {@code urn:penstock:refusal:CODE}; a request that is wrong by the
 * protocol has the status alone ({@code about:blank}).
 */
public final class ProblemDocument {
    public static final String MEDIA_TYPE = "application/problem+json";

    private ProblemDocument() {}

    /** For a request that HTTP itself calls wrong. */
    static byte[] of(int status, String detail, UUID call) {
        return new JsonText()
                .begin()
                .add("type", "about:blank")
                .add("title", title(status))
                .add("status", status)
                .add("detail", detail)
                .add("call", call.toString())
                .end()
                .bytes();
    }

    static byte[] of(Refusal refusal, UUID call) {
        JsonText json =
                new JsonText()
                        .begin()
                        .add("type", "urn:penstock:refusal:" + refusal.code().label())
                        .add("title", refusal.code().label().replace('-', ' '))
                        .add("status", refusal.code().status())
                        .add("detail", refusal.message());
        members(json, refusal, call);
        return json.end().bytes();
    }

    /** Adds what a caller may know about a refusal; what does not apply is left out. */
    public static void members(JsonText json, Refusal refusal, UUID call) {
        json.add("code", refusal.code().label()).add("call", call.toString());
        if (refusal.scope() != null) {
            json.add("scope", refusal.scope());
        }
        if (refusal.budget() != null) {
            json.add("budget", refusal.budget());
        }
        if (refusal.limit() >= 0) {
            json.add("limit", refusal.limit());
        }
        if (refusal.remaining() >= 0) {
            json.add("remaining", refusal.remaining());
        }
        if (refusal.retryAfterMillis() >= 0) {
            json.add("retryAfterMs", refusal.retryAfterMillis());
        }
        json.add("terminal", refusal.terminal()).add("hint", refusal.hint());
    }

    /** Seconds for {@code Retry-After}, rounded up so that nobody comes back too early. */
    public static String retryAfter(Refusal refusal) {
        return Long.toString(Math.ceilDiv(refusal.retryAfterMillis(), 1_000L));
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad Request";
            case 403 -> "Forbidden";
            case 404 -> "Not Found";
            case 405 -> "Method Not Allowed";
            case 406 -> "Not Acceptable";
            case 415 -> "Unsupported Media Type";
            case 501 -> "Not Implemented";
            default -> "Error";
        };
    }
}

package io.penstock.gateway.api;

import io.penstock.gateway.http.HeaderBlock;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Which of a client's header lines go on to an upstream, and which of an upstream's come back.
 *
 * <p>Not forwarded: the agent's credential, in every place that one may stand; what concerns one
 * hop only (RFC 9110, 7.6.1); what the gateway says itself ({@code Penstock-*}), and what it would
 * vouch for by passing it on ({@code Forwarded}, {@code X-Forwarded-*} and their kin, {@code
 * X-HELIDON-*}). {@code Cookie} and {@code Set-Cookie} belong to an origin, and all servers here
 * share one: a cookie of one server would be sent to every other. A name with an underscore is
 * dropped, because CGI-like servers read it as a hyphen, and so as a header that was dropped or
 * judged.
 */
public final class Forwarding {
    private static final Set<String> DROPPED =
            Set.of(
                    "authorization",
                    "x-api-key",
                    "cookie",
                    "cookie2",
                    "connection",
                    "keep-alive",
                    "proxy-authenticate",
                    "proxy-authorization",
                    "proxy-connection",
                    "te",
                    "trailer",
                    "transfer-encoding",
                    "upgrade",
                    "http2-settings",
                    "host",
                    "content-length",
                    "expect",
                    "forwarded",
                    "via",
                    "origin",
                    "referer",
                    "x-real-ip",
                    "x-client-ip",
                    "x-cluster-client-ip",
                    "true-client-ip",
                    "cf-connecting-ip",
                    "x-original-host",
                    "x-host",
                    "x-ssl-client-cert",
                    "x-remote-user",
                    "remote-user");

    private static final Set<String> OTHER_METHOD_OR_TARGET =
            Set.of(
                    "x-http-method-override",
                    "x-http-method",
                    "x-method-override",
                    "x-original-url",
                    "x-original-uri",
                    "x-rewrite-url");

    private static final Set<String> NOT_RETURNED =
            Set.of(
                    "set-cookie",
                    "set-cookie2",
                    "connection",
                    "keep-alive",
                    "proxy-connection",
                    "proxy-authenticate",
                    "upgrade",
                    "alt-svc",
                    "strict-transport-security");

    private Forwarding() {}

    /** The lines that may go on, in their order. */
    public static HeaderBlock forwardable(HeaderBlock headers) {
        Set<String> nominated = nominated(headers);
        HeaderBlock forwarded = new HeaderBlock();
        for (int i = 0; i < headers.size(); i++) {
            String name = HeaderNames.lower(headers.name(i));
            if (!dropped(name) && !nominated.contains(name)) {
                forwarded.add(headers.name(i), headers.value(i));
            }
        }
        return forwarded;
    }

    private static boolean dropped(String name) {
        return DROPPED.contains(name)
                || name.startsWith("penstock-")
                || name.startsWith("x-forwarded-")
                || name.startsWith("x-helidon-")
                || name.startsWith(":")
                || name.indexOf('_') >= 0;
    }

    /** What {@code Connection} names besides the usual. */
    private static Set<String> nominated(HeaderBlock headers) {
        if (headers.first("Connection") == null) {
            return Set.of();
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < headers.size(); i++) {
            if (headers.name(i).equalsIgnoreCase("Connection")) {
                for (String name : headers.value(i).split(",")) {
                    names.add(name.strip().toLowerCase(Locale.ROOT));
                }
            }
        }
        return names;
    }

    /** Whether a header would have an upstream read another method or target than was judged. */
    public static boolean redirects(HeaderBlock headers) {
        for (int i = 0; i < headers.size(); i++) {
            String name = HeaderNames.lower(headers.name(i));
            if (name.startsWith("x") && OTHER_METHOD_OR_TARGET.contains(name.replace('_', '-'))) {
                return true;
            }
        }
        return false;
    }

    /** Takes out of an upstream's answer what it must not say to an agent. */
    public static void cleanAnswer(HeaderBlock headers) {
        for (int i = headers.size() - 1; i >= 0; i--) {
            String name = HeaderNames.lower(headers.name(i));
            if (NOT_RETURNED.contains(name) || name.startsWith("penstock-")) {
                headers.remove(headers.name(i));
                i = Math.min(i, headers.size());
            }
        }
    }
}

package io.penstock.gateway.upstream;

import io.penstock.gateway.http.HeaderBlock;
import org.jspecify.annotations.Nullable;

/** Which header lines concern one connection only and are never passed on (RFC 9110, 7.6.1). */
final class HopByHop {
    private static final String[] NAMES = {
        "Connection",
        "Keep-Alive",
        "Proxy-Connection",
        "Proxy-Authenticate",
        "Proxy-Authorization",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Content-Length"
    };

    private HopByHop() {}

    /**
     * Whether a line of that name stays behind: hop-by-hop, or framing, which each hop does anew.
     */
    static boolean stays(String name) {
        for (String each : NAMES) {
            if (each.equalsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** Removes the lines that stay behind, those that a Connection line names among them. */
    static void strip(HeaderBlock headers) {
        for (int i = headers.size() - 1; i >= 0; i--) {
            if (headers.name(i).equalsIgnoreCase("Connection")) {
                stripNamed(headers, headers.value(i));
                i = Math.min(i, headers.size());
            }
        }
        for (String each : NAMES) {
            headers.remove(each);
        }
    }

    private static void stripNamed(HeaderBlock headers, String connection) {
        for (String named : connection.split(",", -1)) {
            String name = named.trim();
            if (!name.equalsIgnoreCase("Connection")) {
                headers.remove(name);
            }
        }
    }

    /** Whether a comma-separated list has that word. */
    static boolean lists(@Nullable String list, String word) {
        if (list == null) {
            return false;
        }
        if (list.equalsIgnoreCase(word)) {
            return true;
        }
        for (String each : list.split(",", -1)) {
            if (each.trim().equalsIgnoreCase(word)) {
                return true;
            }
        }
        return false;
    }
}

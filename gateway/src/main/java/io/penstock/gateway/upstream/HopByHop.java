package io.penstock.gateway.upstream;

import io.penstock.gateway.http.HeaderBlock;
import org.jspecify.annotations.Nullable;

/** Which header lines concern one connection only and are never passed on (RFC 9110, 7.6.1). */
final class HopByHop {
    private HopByHop() {}

    /**
     * Whether a line of that name stays behind: hop-by-hop, or framing, which each hop does anew.
     */
    static boolean stays(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE");
            case 7 -> name.equalsIgnoreCase("Trailer") || name.equalsIgnoreCase("Upgrade");
            case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
            case 14 -> name.equalsIgnoreCase("Content-Length");
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            case 18 -> name.equalsIgnoreCase("Proxy-Authenticate");
            case 19 -> name.equalsIgnoreCase("Proxy-Authorization");
            default -> false;
        };
    }

    /** Removes the lines that stay behind, those that a Connection line names among them. */
    static void strip(HeaderBlock headers) {
        for (int i = headers.size() - 1; i >= 0; i--) {
            if (headers.name(i).equalsIgnoreCase("Connection")) {
                stripNamed(headers, headers.value(i));
                i = Math.min(i, headers.size());
            }
        }
        for (int i = headers.size() - 1; i >= 0; i--) {
            if (stays(headers.name(i))) {
                headers.removeAt(i);
            }
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

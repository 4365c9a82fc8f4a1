package io.penstock.gateway.door;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Strings for the header names that come with almost every request, so that none is made anew. */
final class HeaderNames {
    private static final int SLOTS = 512;
    private static final @Nullable Known[] TABLE = new Known[SLOTS];

    private record Known(String name, byte[] bytes) {}

    static {
        String[] names = {
            "Host",
            "Content-Type",
            "Content-Length",
            "Accept",
            "Accept-Encoding",
            "Accept-Language",
            "Authorization",
            "User-Agent",
            "Connection",
            "Origin",
            "Referer",
            "Cookie",
            "Cache-Control",
            "Pragma",
            "Mcp-Session-Id",
            "Mcp-Protocol-Version",
            "MCP-Protocol-Version",
            "Mcp-Method",
            "Mcp-Name",
            "Last-Event-ID",
            "X-API-Key",
            "X-Forwarded-For",
            "X-Forwarded-Proto",
            "X-Forwarded-Host",
            "X-Request-Id",
            "Traceparent",
            "Tracestate",
            "Transfer-Encoding",
            "Expect",
            "Upgrade",
            "Keep-Alive",
            "Penstock-Tenant",
            "Penstock-Agent",
            "Sec-Fetch-Mode",
            "Sec-Fetch-Site",
            "Sec-Fetch-Dest"
        };
        for (String name : names) {
            put(name);
            put(name.toLowerCase(java.util.Locale.ROOT));
        }
    }

    private HeaderNames() {}

    /** The name at that place, as it was sent. */
    static String of(byte[] from, int offset, int length) {
        Known known = TABLE[slot(from, offset, length)];
        if (known != null && matches(known.bytes, from, offset, length)) {
            return known.name;
        }
        return new String(from, offset, length, StandardCharsets.ISO_8859_1);
    }

    private static void put(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
        int slot = slot(bytes, 0, bytes.length);
        if (TABLE[slot] == null) {
            TABLE[slot] = new Known(name, bytes);
        }
    }

    private static int slot(byte[] from, int offset, int length) {
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + from[offset + i];
        }
        return (hash ^ (hash >>> 9)) & (SLOTS - 1);
    }

    private static boolean matches(byte[] known, byte[] from, int offset, int length) {
        return java.util.Arrays.equals(known, 0, known.length, from, offset, offset + length);
    }
}

package io.penstock.gateway.api;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Lower-case header names, for comparing; those that come with almost every request cost one
 * look-up and make no garbage.
 */
public final class HeaderNames {
    private static final Map<String, String> KNOWN = new HashMap<>();

    static {
        for (String name :
                new String[] {
                    "Accept",
                    "Accept-Encoding",
                    "Accept-Language",
                    "Authorization",
                    "Connection",
                    "Content-Length",
                    "Content-Type",
                    "Host",
                    "Last-Event-ID",
                    "MCP-Protocol-Version",
                    "Mcp-Protocol-Version",
                    "Mcp-Method",
                    "Mcp-Name",
                    "Mcp-Session-Id",
                    "Origin",
                    "Penstock-Agent",
                    "Penstock-Tenant",
                    "Traceparent",
                    "Tracestate",
                    "User-Agent",
                    "X-API-Key",
                    "X-Forwarded-For",
                    "X-Forwarded-Proto",
                    "X-Request-Id"
                }) {
            String lower = name.toLowerCase(Locale.ROOT);
            KNOWN.put(name, lower);
            KNOWN.put(lower, lower);
        }
    }

    private HeaderNames() {}

    public static String lower(String name) {
        String known = KNOWN.get(name);
        return known != null ? known : name.toLowerCase(Locale.ROOT);
    }
}

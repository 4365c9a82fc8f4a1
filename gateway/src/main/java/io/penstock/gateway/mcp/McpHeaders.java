package io.penstock.gateway.mcp;

import io.penstock.gateway.api.HeaderNames;
import io.penstock.gateway.http.HeaderBlock;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The header lines of one request that mean something to MCP.
 *
 * <p>A line that decides and stands twice is a fault: two readers may take different ones.
 */
final class McpHeaders {
    static final String VERSION = "MCP-Protocol-Version";
    static final String METHOD = "Mcp-Method";
    static final String NAME = "Mcp-Name";
    static final String LAST_EVENT = "Last-Event-ID";
    private static final String JSON = "application/json";
    private static final String EVENTS = "text/event-stream";
    static final String BOTH = "application/json, text/event-stream";

    private @Nullable String version;
    private @Nullable String method;
    private @Nullable String name;
    private @Nullable String session;
    private @Nullable String contentType;
    private @Nullable String contentEncoding;
    private @Nullable String fault;
    private String accept = "";

    McpHeaders(HeaderBlock headers) {
        for (int i = 0; i < headers.size(); i++) {
            read(HeaderNames.lower(headers.name(i)), headers.value(i).strip());
        }
    }

    private void read(String header, String value) {
        switch (header) {
            case "mcp-protocol-version" -> version = once(version, value, VERSION);
            case "mcp-method" -> method = once(method, value, METHOD);
            case "mcp-name" -> name = once(name, value, NAME);
            case "mcp-session-id" -> session = once(session, value, McpDialect.SESSION);
            case "content-type" -> contentType = once(contentType, value, "Content-Type");
            case "content-encoding" ->
                    contentEncoding = once(contentEncoding, value, "Content-Encoding");
            case "accept" -> accept = accept.isEmpty() ? value : accept + "," + value;
            default -> {
                if (header.startsWith("mcp-param-") && Mirrored.decode(value) == null) {
                    fault = header + " is not validly encoded";
                }
            }
        }
    }

    private @Nullable String once(@Nullable String before, String value, String header) {
        if (before != null) {
            fault = header + " stands twice";
        }
        return value;
    }

    /** What is wrong with the lines by themselves, or null. */
    @Nullable String fault() {
        return fault;
    }

    @Nullable String version() {
        return version;
    }

    @Nullable String method() {
        return method;
    }

    @Nullable String name() {
        return name;
    }

    @Nullable String session() {
        return session;
    }

    /** Whether the body comes as it is. */
    boolean plainBody() {
        return contentEncoding == null || contentEncoding.equalsIgnoreCase("identity");
    }

    /** Whether the body says it is JSON, in UTF-8 where it says what in. */
    boolean json() {
        if (contentType == null || contentType.equals(JSON)) {
            return contentType != null;
        }
        String[] parts = contentType.split(";", -1);
        if (!parts[0].strip().equalsIgnoreCase(JSON)) {
            return false;
        }
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("charset")
                    && !parameter.equals("charset=utf-8")
                    && !parameter.equals("charset=\"utf-8\"")) {
                return false;
            }
        }
        return true;
    }

    /** Whether the client names no media type, or one that stands for all. */
    boolean acceptsAnything() {
        return accept.isEmpty() || accept.contains("*/*");
    }

    boolean acceptsJson() {
        return accepts(JSON, "application/*");
    }

    boolean acceptsEvents() {
        return accepts(EVENTS, "text/*");
    }

    private boolean accepts(String type, String range) {
        // What almost every client sends, as it sends it.
        if (accept.equals(BOTH) || acceptsAnything()) {
            return true;
        }
        for (String entry : accept.split(",")) {
            int semicolon = entry.indexOf(';');
            String named = (semicolon < 0 ? entry : entry.substring(0, semicolon)).strip();
            if (named.equalsIgnoreCase(type) || named.equalsIgnoreCase(range)) {
                return true;
            }
        }
        return false;
    }
}

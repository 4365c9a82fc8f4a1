package io.penstock.e2e;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Requests as agents send them. */
final class Requests {
    private Requests() {}

    static List<String> mcpHeaders(String key) {
        return List.of(
                "Authorization: Bearer " + key,
                "Content-Type: application/json",
                "Accept: application/json, text/event-stream",
                "MCP-Protocol-Version: 2025-11-25");
    }

    /** A request to the MCP door with any body. */
    static byte[] mcp(String key, String server, String body) {
        return Wire.request(
                "POST", "/mcp/" + server, mcpHeaders(key), body.getBytes(StandardCharsets.UTF_8));
    }

    static String toolCallBody(String tool, int id) {
        return """
        {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{}}}\
        """
                .formatted(id, tool);
    }

    static byte[] toolCall(String key, String server, String tool, int id) {
        return mcp(key, server, toolCallBody(tool, id));
    }

    /** A request to the HTTP door. */
    static byte[] http(String key, String method, String path, String body, String... more) {
        List<String> headers = new ArrayList<>(List.of(more));
        headers.add("X-API-Key: " + key);
        if (!body.isEmpty()) headers.add("Content-Type: application/json");
        return Wire.request(method, path, headers, body.getBytes(StandardCharsets.UTF_8));
    }
}

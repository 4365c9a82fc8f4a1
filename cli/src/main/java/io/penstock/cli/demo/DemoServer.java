package io.penstock.cli.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A small MCP server to try the gateway with. Speaks the revisions with sessions (2025-03-26 to
 * 2025-11-25) and the stateless one (2026-07-28) at {@code /mcp}.
 *
 * <p><b>Threads.</b> One virtual thread a request.
 */
public final class DemoServer implements AutoCloseable {
    static final String STATELESS = "2026-07-28";
    private static final List<String> WITH_SESSIONS =
            List.of("2025-11-25", "2025-06-18", "2025-03-26");
    private static final String META = "io.modelcontextprotocol/protocolVersion";
    private static final Set<String> NAMED = Set.of("tools/call", "resources/read", "prompts/get");

    private static final int BODY_BYTES_MAX = 8 << 20;

    /** The oldest session goes when one more than this is opened: a demo is not worth memory. */
    private static final int SESSIONS_MAX = 100_000;

    private static final int STREAM_BEAT_MILLIS = 15_000;
    private static final int LIST_TTL_MILLIS = 60_000;

    private static final int HEADER_MISMATCH = -32020;
    private static final int UNSUPPORTED_VERSION = -32022;

    private final ObjectMapper json = new ObjectMapper();
    private final Set<String> sessions = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    private DemoServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Listens on the loopback interface.
     *
     * @param port 0 for any free one
     */
    public static DemoServer start(int port) throws IOException {
        // Read once by the JDK's server: small writes must not wait for an acknowledgement, and a
        // gateway keeps its connections longer and in larger numbers than the defaults allow.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        System.setProperty("sun.net.httpserver.maxIdleConnections", "10000");
        System.setProperty("sun.net.httpserver.idleInterval", "600");
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        HttpServer http = HttpServer.create(address, 1024);
        DemoServer demo = new DemoServer(http);
        http.setExecutor(demo.threads);
        http.createContext("/mcp", demo::answer);
        http.start();
        return demo;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            switch (exchange.getRequestMethod()) {
                case "POST" -> post(exchange);
                case "GET" -> stream(exchange);
                case "DELETE" -> endSession(exchange);
                default -> plain(exchange, 405);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void post(HttpExchange exchange) throws IOException, InterruptedException {
        byte[] body = exchange.getRequestBody().readNBytes(BODY_BYTES_MAX);
        JsonNode message;
        try {
            message = json.readTree(body);
        } catch (JsonProcessingException e) {
            error(exchange, 400, null, new Fault(-32700, "not JSON"));
            return;
        }
        if (message == null || !message.isObject()) {
            error(exchange, 400, null, new Fault(-32600, "not a JSON-RPC message"));
        } else if (!message.has("id") || !message.has("method")) {
            plain(exchange, 202);
        } else if (stateless(exchange, message)) {
            statelessRequest(exchange, message);
        } else {
            sessionRequest(exchange, message);
        }
    }

    private static boolean stateless(HttpExchange exchange, JsonNode message) {
        String version = header(exchange, "MCP-Protocol-Version");
        return message.path("params").path("_meta").has(META)
                || (version != null && !WITH_SESSIONS.contains(version));
    }

    private void statelessRequest(HttpExchange exchange, JsonNode message)
            throws IOException, InterruptedException {
        Fault fault = headerFault(exchange, message);
        if (fault != null) {
            error(exchange, 400, message.get("id"), fault);
            return;
        }
        switch (message.path("method").asText()) {
            case "server/discover" -> {
                ObjectNode result = result(true);
                result.putArray("supportedVersions").add(STATELESS);
                result.putObject("capabilities").putObject("tools");
                result.putObject("_meta")
                        .set("io.modelcontextprotocol/serverInfo", implementation());
                cacheable(result);
                send(exchange, message, result);
            }
            case "tools/list" -> send(exchange, message, cacheable(toolList(true)));
            case "tools/call" -> call(exchange, message, true);
            default -> {
                Fault unknown = new Fault(-32601, "no such method");
                error(exchange, 404, message.get("id"), unknown);
            }
        }
    }

    /** The headers must say what the body says. */
    private static @Nullable Fault headerFault(HttpExchange exchange, JsonNode message) {
        String version = header(exchange, "MCP-Protocol-Version");
        String inBody = message.path("params").path("_meta").path(META).asText();
        String method = message.path("method").asText();
        if (version == null || !inBody.equals(version)) {
            return new Fault(HEADER_MISMATCH, "MCP-Protocol-Version does not match the body");
        }
        if (!version.equals(STATELESS)) {
            return new Fault(UNSUPPORTED_VERSION, "unsupported protocol version " + version);
        }
        if (!method.equals(header(exchange, "Mcp-Method"))) {
            return new Fault(HEADER_MISMATCH, "Mcp-Method does not match the body");
        }
        JsonNode params = message.path("params");
        String name = params.path(method.equals("resources/read") ? "uri" : "name").asText();
        if (NAMED.contains(method) && !name.equals(decoded(header(exchange, "Mcp-Name")))) {
            return new Fault(HEADER_MISMATCH, "Mcp-Name does not match the body");
        }
        return null;
    }

    /** Values that are not plain ASCII come as {@code =?base64?...?=}. */
    private static @Nullable String decoded(@Nullable String value) {
        String start = "=?base64?";
        if (value == null || !value.startsWith(start) || !value.endsWith("?=")) {
            return value;
        }
        try {
            String encoded = value.substring(start.length(), value.length() - 2);
            return new String(
                    java.util.Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private void sessionRequest(HttpExchange exchange, JsonNode message)
            throws IOException, InterruptedException {
        String method = message.path("method").asText();
        if (method.equals("initialize")) {
            initialize(exchange, message);
            return;
        }
        if (!inSession(exchange)) {
            return;
        }
        switch (method) {
            case "ping" -> send(exchange, message, json.createObjectNode());
            case "tools/list" -> send(exchange, message, toolList(false));
            case "tools/call" -> call(exchange, message, false);
            default -> error(exchange, 200, message.get("id"), new Fault(-32601, "no such method"));
        }
    }

    private void initialize(HttpExchange exchange, JsonNode message) throws IOException {
        String asked = message.path("params").path("protocolVersion").asText();
        String session = UUID.randomUUID().toString();
        if (sessions.size() >= SESSIONS_MAX) {
            sessions.remove(sessions.iterator().next());
        }
        sessions.add(session);
        ObjectNode result = json.createObjectNode();
        result.put(
                "protocolVersion",
                WITH_SESSIONS.contains(asked) ? asked : WITH_SESSIONS.getFirst());
        result.putObject("capabilities").putObject("tools");
        result.set("serverInfo", implementation());
        exchange.getResponseHeaders().set("Mcp-Session-Id", session);
        send(exchange, message, result);
    }

    /**
     * Whether the request may go on; otherwise it is answered here. A session is offered, not asked
     * for, so that a call can be tried with one line of curl.
     */
    private boolean inSession(HttpExchange exchange) throws IOException {
        String session = header(exchange, "Mcp-Session-Id");
        if (session == null) {
            return true;
        }
        if (!sessions.contains(session)) {
            error(exchange, 404, null, new Fault(-32001, "no such session"));
            return false;
        }
        return true;
    }

    private void endSession(HttpExchange exchange) throws IOException {
        if (inSession(exchange)) {
            String session = header(exchange, "Mcp-Session-Id");
            boolean ended = session != null && sessions.remove(session);
            plain(exchange, ended ? 200 : 405);
        }
    }

    /** The server's own stream: it has nothing to say, and keeps the line open. */
    private void stream(HttpExchange exchange) throws IOException, InterruptedException {
        if (STATELESS.equals(header(exchange, "MCP-Protocol-Version"))) {
            plain(exchange, 405);
            return;
        }
        if (!inSession(exchange)) {
            return;
        }
        OutputStream events = events(exchange);
        String session = header(exchange, "Mcp-Session-Id");
        while (session == null || sessions.contains(session)) {
            events.write(": still here\n\n".getBytes(StandardCharsets.UTF_8));
            events.flush();
            Thread.sleep(STREAM_BEAT_MILLIS);
        }
    }

    private void call(HttpExchange exchange, JsonNode message, boolean stateless)
            throws IOException, InterruptedException {
        JsonNode params = message.path("params");
        String tool = params.path("name").isTextual() ? params.path("name").asText() : null;
        switch (DemoTools.call(tool, params.path("arguments"))) {
            case DemoTools.Answer.Text text ->
                    send(exchange, message, content(stateless, text.text(), text.failed()));
            case DemoTools.Answer.Later later -> {
                Thread.sleep(later.millis());
                send(exchange, message, content(stateless, later.text(), false));
            }
            case DemoTools.Answer.Stream stream -> count(exchange, message, stateless, stream);
            case DemoTools.Answer.Broken _ -> plain(exchange, 500);
            case DemoTools.Answer.Wrong wrong ->
                    error(
                            exchange,
                            200,
                            message.get("id"),
                            new Fault(wrong.code(), wrong.message()));
        }
    }

    private void count(
            HttpExchange exchange,
            JsonNode message,
            boolean stateless,
            DemoTools.Answer.Stream stream)
            throws IOException, InterruptedException {
        OutputStream events = events(exchange);
        JsonNode token = message.path("params").path("_meta").get("progressToken");
        for (int step = 1; step <= stream.steps(); step++) {
            Thread.sleep(stream.pauseMillis());
            if (token != null) {
                ObjectNode progress = json.createObjectNode().put("jsonrpc", "2.0");
                progress.put("method", "notifications/progress");
                ObjectNode params = progress.putObject("params");
                params.set("progressToken", token);
                params.put("progress", step).put("total", stream.steps());
                params.put("message", "step " + step);
                event(events, progress);
            } else {
                events.write((": step " + step + "\n\n").getBytes(StandardCharsets.UTF_8));
                events.flush();
            }
        }
        event(events, response(message, content(stateless, stream.text(), false)));
    }

    private ObjectNode toolList(boolean stateless) {
        ObjectNode result = result(stateless);
        result.set("tools", DemoTools.list());
        return result;
    }

    private ObjectNode content(boolean stateless, String text, boolean failed) {
        ObjectNode result = result(stateless);
        result.putArray("content").addObject().put("type", "text").put("text", text);
        if (failed) {
            result.put("isError", true);
        }
        return result;
    }

    private ObjectNode result(boolean stateless) {
        ObjectNode result = json.createObjectNode();
        return stateless ? result.put("resultType", "complete") : result;
    }

    private static ObjectNode cacheable(ObjectNode result) {
        return result.put("ttlMs", LIST_TTL_MILLIS).put("cacheScope", "public");
    }

    private ObjectNode implementation() {
        return json.createObjectNode().put("name", "penstock-demo").put("version", "1.0.0");
    }

    private ObjectNode response(JsonNode request, ObjectNode result) {
        ObjectNode response = json.createObjectNode().put("jsonrpc", "2.0");
        response.set("id", request.get("id"));
        response.set("result", result);
        return response;
    }

    private void send(HttpExchange exchange, JsonNode request, ObjectNode result)
            throws IOException {
        body(exchange, 200, response(request, result));
    }

    private record Fault(int code, String message) {}

    private void error(HttpExchange exchange, int status, @Nullable JsonNode id, Fault fault)
            throws IOException {
        ObjectNode response = json.createObjectNode().put("jsonrpc", "2.0");
        response.set("id", id == null ? json.nullNode() : id);
        ObjectNode error = response.putObject("error");
        error.put("code", fault.code()).put("message", fault.message());
        if (fault.code() == UNSUPPORTED_VERSION) {
            ObjectNode detail = error.putObject("data");
            detail.put("requested", String.valueOf(header(exchange, "MCP-Protocol-Version")));
            detail.putArray("supported").add(STATELESS);
        }
        body(exchange, status, response);
    }

    private void body(HttpExchange exchange, int status, ObjectNode message) throws IOException {
        byte[] bytes = json.writeValueAsBytes(message);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private static void plain(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
    }

    private static OutputStream events(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private void event(OutputStream events, ObjectNode message) throws IOException {
        String text = "event: message\ndata: " + json.writeValueAsString(message) + "\n\n";
        events.write(text.getBytes(StandardCharsets.UTF_8));
        events.flush();
    }

    private static @Nullable String header(HttpExchange exchange, String name) {
        return exchange.getRequestHeaders().getFirst(name);
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Bad input through real sockets, over HTTP/1.1 and HTTP/2, at both doors: each case has its exact
 * status and code, nothing of it reaches the upstream, and the next call works.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BadInputIT {
    private static final String ERA = "MCP-Protocol-Version: 2025-11-25";
    private static final String STATELESS = "MCP-Protocol-Version: 2026-07-28";
    private static final String META =
            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                    + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},"
                    + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

    private Gate gate;
    private Replica plain;
    private Replica secure;
    private TlsFiles tls;

    @BeforeAll
    void start() {
        tls = TlsFiles.in(Program.FOLDER.resolve("tls"));
        gate =
                Gate.prepare(
                        settings ->
                                settings.set(
                                        "limits",
                                        "{ body: 64KiB, headers: 16KiB, nesting: 32,"
                                                + " header-timeout: 3s, body-timeout: 3s }"));
        plain = gate.add("plain").launch();
        secure =
                gate.add(
                                Replica.of(
                                        "secure",
                                        gate.settings(),
                                        Ports.free(),
                                        ", tls: { cert: %s, key: %s }"
                                                .formatted(tls.certificate(), tls.key())))
                        .launch();
        gate.replicas().forEach(Replica::awaitAdmitting);
    }

    @AfterAll
    void stop() {
        if (gate != null) gate.close();
    }

    /**
     * One bad request.
     *
     * @param code the JSON-RPC error's code, or 0 where the answer is a problem document
     */
    private record Bad(
            String name,
            String method,
            String target,
            List<String> headers,
            byte[] body,
            int status,
            int code,
            String decision) {

        static Bad rpc(String name, String body, int status, int code) {
            return rpc(name, body.getBytes(StandardCharsets.UTF_8), status, code);
        }

        static Bad rpc(String name, byte[] body, int status, int code) {
            return new Bad(name, "POST", "/mcp/tools", mcp(ERA), body, status, code, "malformed");
        }

        static Bad stateless(String name, String body, int status, int code, String... headers) {
            return new Bad(
                    name,
                    "POST",
                    "/mcp/tools",
                    mcp(headers),
                    body.getBytes(StandardCharsets.UTF_8),
                    status,
                    code,
                    "malformed");
        }

        static Bad api(String name, String method, String target, int status, String decision) {
            return new Bad(name, method, target, key(), new byte[0], status, 0, decision);
        }

        Bad decided(String word) {
            return new Bad(name, method, target, headers, body, status, code, word);
        }

        Bad at(String path) {
            return new Bad(name, method, path, headers, body, status, code, decision);
        }

        Bad with(String... more) {
            List<String> all = new ArrayList<>(headers);
            all.addAll(List.of(more));
            return new Bad(name, method, target, all, body, status, code, decision);
        }

        Bad withoutKey() {
            return new Bad(name, method, target, List.of(), body, status, code, decision);
        }

        private static List<String> key() {
            return List.of("Authorization: Bearer " + Settings.KEY);
        }

        private static List<String> mcp(String... more) {
            List<String> headers = new ArrayList<>(key());
            headers.add("Content-Type: application/json");
            headers.add("Accept: application/json, text/event-stream");
            headers.addAll(List.of(more));
            return headers;
        }
    }

    private static List<Bad> cases() {
        String call = Requests.toolCallBody("echo", 1).strip();
        return List.of(
                Bad.rpc("not JSON", "hello", 400, -32700),
                Bad.rpc("empty body", "", 400, -32700),
                Bad.rpc("cut short", call.substring(0, 40), 400, -32700),
                Bad.rpc("trailing data", call + "{}", 400, -32700),
                Bad.rpc("byte order mark", "\uFEFF" + call, 400, -32700),
                Bad.rpc(
                        "invalid UTF-8",
                        call.replace("echo", "\u00ff").getBytes(StandardCharsets.ISO_8859_1),
                        400,
                        -32700),
                Bad.rpc(
                        "duplicate key",
                        call.replace("\"method\"", "\"method\":\"ping\",\"method\""),
                        400,
                        -32600),
                Bad.rpc(
                        "duplicate key by an escape",
                        call.replace("\"method\"", "\"meth\\u006fd\":\"ping\",\"method\""),
                        400,
                        -32600),
                Bad.rpc(
                        "key of another case",
                        call.replace("\"method\"", "\"METHOD\":\"ping\",\"method\""),
                        400,
                        -32600),
                Bad.rpc(
                        "name of another case",
                        call.replace("\"name\"", "\"Name\":\"x\",\"name\""),
                        400,
                        -32600),
                Bad.rpc(
                        "deep nesting",
                        call.replace("{}", "[".repeat(40) + "]".repeat(40)),
                        400,
                        -32600),
                Bad.rpc("huge number", call.replace("{}", "{\"a\":1e999999}"), 400, -32600),
                Bad.rpc(
                        "endless number",
                        call.replace("{}", "{\"a\":" + "9".repeat(5_000) + "}"),
                        400,
                        -32600),
                Bad.rpc("batch where none is", "[" + call + "]", 400, -32600),
                Bad.rpc("empty batch", "[]", 400, -32600),
                Bad.rpc("no method", "{\"jsonrpc\":\"2.0\",\"id\":1}", 400, -32600),
                Bad.rpc("a call as a notification", call.replace("\"id\":1,", ""), 400, -32600),
                Bad.rpc("id that is no id", call.replace("\"id\":1", "\"id\":1.5"), 400, -32600),
                Bad.rpc("call without a name", call.replace("\"name\"", "\"nome\""), 400, -32602),
                Bad.rpc("unknown server", call, 200, -33002)
                        .at("/mcp/nowhere")
                        .decided("unknown-target"),
                Bad.rpc("plain HTTP server at the MCP door", call, 200, -33002)
                        .at("/mcp/api")
                        .decided("unknown-target"),
                Bad.rpc("session of nobody", call, 404, -32001).with("Mcp-Session-Id: made-up"),
                Bad.rpc("encoded body", call, 415, 0).with("Content-Encoding: gzip"),
                Bad.rpc("foreign origin", call, 403, 0).with("Origin: https://evil.example"),
                Bad.rpc("method override", call, 400, 0).with("X-HTTP-Method-Override: DELETE"),
                Bad.rpc("body over its bound", "x".repeat(70_000), 413, 0),
                Bad.stateless(
                        "method header that disagrees",
                        statelessCall("echo"),
                        400,
                        -32020,
                        STATELESS,
                        "Mcp-Method: tools/list",
                        "Mcp-Name: echo"),
                Bad.stateless(
                        "name header that disagrees",
                        statelessCall("echo"),
                        400,
                        -32020,
                        STATELESS,
                        "Mcp-Method: tools/call",
                        "Mcp-Name: other"),
                Bad.stateless(
                        "name header missing",
                        statelessCall("echo"),
                        400,
                        -32020,
                        STATELESS,
                        "Mcp-Method: tools/call"),
                Bad.stateless(
                        "version header that disagrees",
                        statelessCall("echo"),
                        400,
                        -32020,
                        ERA,
                        "Mcp-Method: tools/call",
                        "Mcp-Name: echo"),
                Bad.stateless(
                        "unknown version", call, 400, -32022, "MCP-Protocol-Version: 1999-01-01"),
                Bad.api("unknown API", "GET", "/http/nowhere/x", 404, "unknown-target"),
                Bad.api(
                        "MCP server at the HTTP door",
                        "GET",
                        "/http/tools/x",
                        404,
                        "unknown-target"),
                Bad.api("dot segments", "GET", "/http/api/../secret", 400, "malformed"),
                Bad.api("encoded dot segments", "GET", "/http/api/%2e%2e/secret", 400, "malformed"),
                Bad.api("half encoded", "GET", "/http/api/.%2E/secret", 400, "malformed"),
                Bad.api("encoded twice", "GET", "/http/api/%252e%252e/secret", 400, "malformed"),
                Bad.api("encoded slash", "GET", "/http/api/users%2f..%2fsecret", 400, "malformed"),
                Bad.api("double slash", "GET", "/http/api//secret", 400, "malformed"),
                Bad.api("encoded backslash", "GET", "/http/api/..%5csecret", 400, "malformed"),
                Bad.api(
                        "overlong encoding",
                        "GET",
                        "/http/api/%c0%ae%c0%ae/secret",
                        400,
                        "malformed"),
                Bad.api("dots with parameters", "GET", "/http/api/..;x=1/secret", 400, "malformed"),
                Bad.api("no credential", "GET", "/http/api/users/1", 401, "unauthenticated")
                        .withoutKey());
    }

    private static String statelessCall(String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\""
                + tool
                + "\",\"arguments\":{},"
                + META
                + "}}";
    }

    @TestFactory
    Stream<DynamicTest> badRequest_overHttp1_isRefusedClearly() {
        return cases().stream()
                .map(
                        bad ->
                                DynamicTest.dynamicTest(
                                        bad.name(),
                                        () ->
                                                judge(
                                                        bad,
                                                        Gate.call(
                                                                plain.port(),
                                                                Wire.request(
                                                                        bad.method(),
                                                                        bad.target(),
                                                                        bad.headers(),
                                                                        bad.body())))));
    }

    @TestFactory
    Stream<DynamicTest> badRequest_overHttp2_isRefusedClearly() {
        return cases().stream()
                .map(bad -> DynamicTest.dynamicTest(bad.name(), () -> judge(bad, overHttp2(bad))));
    }

    private HttpClient http2() {
        return HttpClient.newBuilder()
                .sslContext(tls.trusting())
                .version(HttpClient.Version.HTTP_2)
                .build();
    }

    private Wire.Answer overHttp2(Bad bad) throws IOException, InterruptedException {
        var request =
                HttpRequest.newBuilder(
                                URI.create("https://127.0.0.1:" + secure.port() + bad.target()))
                        .timeout(Duration.ofSeconds(20))
                        .method(bad.method(), HttpRequest.BodyPublishers.ofByteArray(bad.body()));
        for (String header : bad.headers()) {
            int colon = header.indexOf(':');
            request.header(header.substring(0, colon), header.substring(colon + 1).strip());
        }
        HttpResponse<byte[]> answer;
        // A client of its own: the case before may have ended its connection, and one that is just
        // being closed looks open to a client that keeps it.
        try (HttpClient client = http2()) {
            answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        }
        assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
        Map<String, String> headers = new TreeMap<>();
        answer.headers()
                .map()
                .forEach(
                        (name, values) ->
                                headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
        return new Wire.Answer(answer.statusCode(), headers, answer.body());
    }

    private void judge(Bad bad, Wire.Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(bad.status());
        assertThat(answer.decision()).isEqualTo(bad.decision());
        if (bad.code() != 0) {
            assertThat(answer.json().path("error").path("code").asInt()).isEqualTo(bad.code());
        } else {
            assertThat(answer.header("Content-Type").orElse(""))
                    .startsWith("application/problem+json");
            assertThat(answer.json().path("status").asInt()).isEqualTo(bad.status());
        }
        assertThat(gate.upstream().count()).as("nothing reaches the upstream").isZero();
        theNextCallWorks();
    }

    private void theNextCallWorks() {
        Gate.awaitAdmitted(plain.port(), Requests.toolCall(Settings.KEY, "tools", "echo", 1));
        gate.upstream().forget();
    }

    /** Requests that two readers could take for different ones, as bytes. */
    private static Map<String, String> smuggling() {
        String start =
                "POST /http/api/users HTTP/1.1\r\nHost: a\r\nX-API-Key: " + Settings.KEY + "\r\n";
        String hidden =
                "GET /http/api/hidden HTTP/1.1\r\nHost: a\r\nX-API-Key: "
                        + Settings.KEY
                        + "\r\n\r\n";
        Map<String, String> cases = new TreeMap<>();
        cases.put("two lengths", start + "Content-Length: 2\r\nContent-Length: 4\r\n\r\nabcd");
        cases.put("two equal lengths", start + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab");
        cases.put("list of lengths", start + "Content-Length: 2, 2\r\n\r\nab");
        cases.put("signed length", start + "Content-Length: +2\r\n\r\nab");
        cases.put("negative length", start + "Content-Length: -2\r\n\r\nab");
        cases.put(
                "length and chunked",
                start
                        + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                        + hidden);
        cases.put(
                "chunked and length",
                start
                        + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
                        + hidden);
        cases.put("unknown coding", start + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n");
        cases.put(
                "coding twice",
                start
                        + "Transfer-Encoding: chunked\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                        + "0\r\n\r\n");
        cases.put("folded header", start + "X-Long: a\r\n b\r\nContent-Length: 0\r\n\r\n");
        cases.put("bare line feed", start.replace("\r\n", "\n") + "Content-Length: 0\n\n");
        cases.put("space before the colon", start + "Content-Length : 0\r\n\r\n");
        cases.put("no host", start.replace("Host: a\r\n", "") + "Content-Length: 0\r\n\r\n");
        cases.put("two hosts", start + "Host: b\r\nContent-Length: 0\r\n\r\n");
        cases.put(
                "chunk size with a sign",
                start + "Transfer-Encoding: chunked\r\n\r\n+2\r\nab\r\n0\r\n\r\n" + hidden);
        cases.put(
                "chunk longer than its size",
                start + "Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n" + hidden);
        cases.put(
                "raw backslash",
                start.replace("/users", "/..\\secret") + "Content-Length: 0\r\n\r\n");
        return cases;
    }

    @TestFactory
    Stream<DynamicTest> ambiguousFraming_isRefusedAndTheConnectionClosed() {
        return smuggling().entrySet().stream()
                .map(
                        each ->
                                DynamicTest.dynamicTest(
                                        each.getKey(), () -> refusesBytes(each.getValue())));
    }

    private void refusesBytes(String bytes) throws IOException {
        try (Wire wire = Wire.open(plain.port())) {
            wire.send(bytes);
            Wire.Answer answer = wire.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.decision()).isEqualTo("malformed");
            assertThat(answer.header("Penstock-Replica")).hasValue("plain");
            if (!bytes.contains("secret")) assertThat(wire.closed()).as("closed").isTrue();
        }
        assertThat(gate.upstream().count()).isZero();
        theNextCallWorks();
    }

    @Test
    void chunkedBodyOverItsBound_isRefusedAndNothingOfItRunsAsARequest() throws IOException {
        String hidden =
                "GET /http/api/hidden HTTP/1.1\r\nHost: a\r\nX-API-Key: "
                        + Settings.KEY
                        + "\r\n\r\n";
        try (Wire wire = Wire.open(plain.port())) {
            wire.send(
                    "POST /http/api/users HTTP/1.1\r\nHost: a\r\nX-API-Key: "
                            + Settings.KEY
                            + "\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n"
                            + "x".repeat(0x11170)
                            + "\r\n0\r\n\r\n"
                            + hidden);
            assertThat(wire.answer().status()).isEqualTo(413);
            assertThat(wire.closed()).isTrue();
        }
        assertThat(gate.upstream().count()).isZero();
        theNextCallWorks();
    }

    @Test
    void headOverItsBound_isRefused() throws IOException {
        try (Wire wire = Wire.open(plain.port())) {
            wire.send(
                    "GET /http/api/users/1 HTTP/1.1\r\nHost: a\r\nX-Big: "
                            + "x".repeat(20_000)
                            + "\r\n\r\n");
            assertThat(wire.answer().status()).isEqualTo(431);
        }
        theNextCallWorks();
    }

    @TestFactory
    Stream<DynamicTest> slowOrHalfRequest_isClosedInTime() {
        String head =
                "POST /http/api/users HTTP/1.1\r\nHost: a\r\nX-API-Key: " + Settings.KEY + "\r\n";
        return Map.of(
                        "silent socket",
                        "",
                        "slow first word",
                        "PO",
                        "slow head",
                        head,
                        "slow body",
                        head + "Content-Length: 100\r\n\r\nhalf",
                        "slow chunk",
                        head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhel")
                .entrySet()
                .stream()
                .map(
                        each ->
                                DynamicTest.dynamicTest(
                                        each.getKey(), () -> closesInTime(each.getValue())));
    }

    private void closesInTime(String bytes) throws IOException {
        try (Wire wire = Wire.open(plain.port())) {
            long started = System.nanoTime();
            if (!bytes.isEmpty()) {
                wire.send(bytes);
                Wire.Answer answer = wire.answer();
                assertThat(answer.status()).isEqualTo(408);
                assertThat(answer.decision()).isEqualTo("malformed");
                assertThat(answer.header("Connection")).hasValue("close");
                assertThat(answer.json().path("code").asText()).isEqualTo("too-slow");
            }
            wire.drain();
            assertThat(Duration.ofNanos(System.nanoTime() - started))
                    .isLessThan(Duration.ofSeconds(15));
        }
        assertThat(gate.upstream().count()).isZero();
        theNextCallWorks();
    }

    @Test
    void connectionHalfClosedInsideTheBody_isNotACall() throws IOException {
        try (Wire wire = Wire.open(plain.port())) {
            wire.send(
                    "POST /http/api/users HTTP/1.1\r\nHost: a\r\nX-API-Key: "
                            + Settings.KEY
                            + "\r\nContent-Length: 100\r\n\r\nhalf");
            wire.shutdownOutput();
            wire.drain();
        }
        assertThat(gate.upstream().count()).isZero();
        theNextCallWorks();
    }

    @Test
    void session_ofAnotherAgentOrChangedOrEnded_isDead() {
        String hello =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                    + "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";
        Wire.Answer welcome = Gate.call(plain.port(), Requests.mcp(Settings.KEY, "tools", hello));
        String session = welcome.header("Mcp-Session-Id").orElseThrow();
        assertThat(session).as("the upstream's own id is sealed").doesNotContain(Upstream.SESSION);
        assertThat(inSession(Settings.KEY, session).status()).isEqualTo(200);
        assertThat(gate.upstream().arrivals().getLast().headers())
                .containsEntry("mcp-session-id", Upstream.SESSION);
        gate.upstream().forget();

        char last = session.charAt(session.length() - 2);
        String changed =
                session.substring(0, session.length() - 2)
                        + (last == 'A' ? 'B' : 'A')
                        + session.substring(session.length() - 1);
        assertThat(inSession(Settings.OTHER_KEY, session).status()).isEqualTo(404);
        assertThat(inSession(Settings.KEY, changed).status()).isEqualTo(404);
        assertThat(gate.upstream().count()).isZero();

        byte[] delete =
                Wire.request(
                        "DELETE",
                        "/mcp/tools",
                        List.of(
                                "Authorization: Bearer " + Settings.KEY,
                                ERA,
                                "Mcp-Session-Id: " + session),
                        new byte[0]);
        assertThat(Gate.call(plain.port(), delete).status()).isEqualTo(200);
        assertThat(inSession(Settings.KEY, session).status())
                .as("replayed after DELETE")
                .isEqualTo(404);
        gate.upstream().forget();
        theNextCallWorks();
    }

    private Wire.Answer inSession(String key, String session) {
        List<String> headers = new ArrayList<>(Requests.mcpHeaders(key));
        headers.add("Mcp-Session-Id: " + session);
        byte[] body = Requests.toolCallBody("echo", 2).getBytes(StandardCharsets.UTF_8);
        return Gate.call(plain.port(), Wire.request("POST", "/mcp/tools", headers, body));
    }

    @Test
    void configuration_everyMistake_isReportedAtOnceWithItsLine() {
        Path file =
                gate.settings()
                        .file(
                                "bad.yaml",
                                """
                                listen: 127.0.0.1:99999
                                lisen: 127.0.0.1:1
                                limits: { body: many }
                                database: { url: "jdbc:mysql://x/y" }
                                servers:
                                  - { name: a, url: "ftp://x" }
                                  - { name: a, url: "http://x" }
                                budgets:
                                  - { name: b, limit: -1, window: 1s }
                                """);
        Program check =
                Program.start(
                        "check",
                        Replica.command(List.of("check", "--config", file.toString())),
                        Map.of());
        try (check) {
            assertThat(check.awaitExit(Duration.ofSeconds(60))).hasValue(1);
            String report = check.output();
            for (String place : List.of(":1:", ":2:", ":3:", ":4:", ":6:", ":7:", ":9:")) {
                assertThat(report).contains(place);
            }
            assertThat(report).contains("listen");
        }
    }
}

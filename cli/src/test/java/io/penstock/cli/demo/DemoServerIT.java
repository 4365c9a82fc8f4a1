package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Does the demo server speak both revisions? (The official clients call it through a gateway
 * elsewhere.)
 */
final class DemoServerIT {
    private static final String META =
            """
            "_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}\
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private DemoServer server;

    @BeforeEach
    void start() throws IOException {
        server = DemoServer.start(0);
    }

    @AfterEach
    void stop() {
        server.close();
        client.close();
    }

    private HttpResponse<String> send(String method, String body, String... headers)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + server.port() + "/mcp");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri)
                        .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static String rpc(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""
                + method
                + "\",\"params\":{"
                + params
                + "}}";
    }

    @Test
    void session_initializeCallDelete_works() throws Exception {
        HttpResponse<String> first =
                send("POST", rpc("initialize", "\"protocolVersion\":\"2025-06-18\""));
        String session = first.headers().firstValue("Mcp-Session-Id").orElseThrow();

        HttpResponse<String> call =
                send(
                        "POST",
                        rpc("tools/call", "\"name\":\"echo\",\"arguments\":{\"message\":\"hi\"}"),
                        "Mcp-Session-Id",
                        session);
        HttpResponse<String> end = send("DELETE", "", "Mcp-Session-Id", session);
        HttpResponse<String> late = send("POST", rpc("tools/list", ""), "Mcp-Session-Id", session);

        assertThat(first.body()).contains("\"protocolVersion\":\"2025-06-18\"");
        assertThat(call.body()).contains("\"text\":\"hi\"").doesNotContain("resultType");
        assertThat(end.statusCode()).isEqualTo(200);
        assertThat(late.statusCode()).isEqualTo(404);
    }

    @Test
    void notification_isAccepted() throws Exception {
        String body = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

        assertThat(send("POST", body).statusCode()).isEqualTo(202);
    }

    @Test
    void count_withProgressToken_streamsEachStep() throws Exception {
        HttpResponse<String> answer =
                send(
                        "POST",
                        rpc(
                                "tools/call",
                                "\"name\":\"count\",\"arguments\":{\"steps\":3,\"millis\":0},"
                                        + "\"_meta\":{\"progressToken\":\"p\"}"));

        assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/event-stream");
        assertThat(answer.body().split("notifications/progress", -1)).hasSize(4);
        assertThat(answer.body()).endsWith("counted to 3\"}]}}\n\n");
    }

    @Test
    void fail_everyKind_failsInItsWay() throws Exception {
        String call = "\"name\":\"fail\",\"arguments\":{\"how\":\"%s\"}";

        assertThat(send("POST", rpc("tools/call", call.formatted("tool"))).body())
                .contains("\"isError\":true");
        assertThat(send("POST", rpc("tools/call", call.formatted("rpc"))).body())
                .contains("\"code\":-32603");
        assertThat(send("POST", rpc("tools/call", call.formatted("http"))).statusCode())
                .isEqualTo(500);
    }

    @Test
    void stateless_headersAndBodyAgree_works() throws Exception {
        String meta = META.formatted(DemoServer.STATELESS);
        HttpResponse<String> discover =
                send(
                        "POST",
                        rpc("server/discover", meta),
                        "MCP-Protocol-Version",
                        DemoServer.STATELESS,
                        "Mcp-Method",
                        "server/discover");
        HttpResponse<String> call =
                send(
                        "POST",
                        rpc("tools/call", "\"name\":\"echo\",\"arguments\":{}," + meta),
                        "MCP-Protocol-Version",
                        DemoServer.STATELESS,
                        "Mcp-Method",
                        "tools/call",
                        "Mcp-Name",
                        "=?base64?ZWNobw==?=");

        assertThat(discover.body())
                .contains("\"supportedVersions\":[\"2026-07-28\"]", "\"resultType\":\"complete\"");
        assertThat(call.body()).contains("\"resultType\":\"complete\"", "hello");
    }

    @Test
    void stateless_headersAndBodyDisagree_isRefused() throws Exception {
        String meta = META.formatted(DemoServer.STATELESS);
        HttpResponse<String> name =
                send(
                        "POST",
                        rpc("tools/call", "\"name\":\"echo\"," + meta),
                        "MCP-Protocol-Version",
                        DemoServer.STATELESS,
                        "Mcp-Method",
                        "tools/call",
                        "Mcp-Name",
                        "wait");
        HttpResponse<String> version =
                send(
                        "POST",
                        rpc("tools/list", META.formatted("2030-01-01")),
                        "MCP-Protocol-Version",
                        "2030-01-01",
                        "Mcp-Method",
                        "tools/list");

        assertThat(name.statusCode()).isEqualTo(400);
        assertThat(name.body()).contains("-32020");
        assertThat(version.statusCode()).isEqualTo(400);
        assertThat(version.body()).contains("-32022", "\"supported\":[\"2026-07-28\"]");
    }
}

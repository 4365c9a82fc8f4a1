package io.penstock.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.RequestHandler;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final FakeGateway gateway = new FakeGateway();

    private static RequestHandler answering(int status) {
        return (request, reply) -> reply.send(status, new HeaderBlock(), new byte[0], 0, 0);
    }

    private Router router(String... origins) {
        return new Router(
                answering(201), answering(202), new Origins(List.of(origins)), gateway.entrance());
    }

    private static RecordedReply handle(
            Router router, String method, String target, HeaderBlock headers) {
        RecordedReply reply = new RecordedReply();
        router.handle(FakeGateway.request(method, target, headers, new byte[0]), reply);
        return reply;
    }

    @Test
    void handle_path_findsItsDoor() {
        assertThat(handle(router(), "POST", "/mcp/a", new HeaderBlock()).status()).isEqualTo(201);
        assertThat(handle(router(), "GET", "/http/a/b", new HeaderBlock()).status()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "*",
                "/mcp",
                "/http",
                "/MCP/a",
                "//mcp/a",
                "/x/../mcp/a",
                "/%6dcp/a",
                "http://host/mcp/a",
                "host:443",
                ""
            })
    void handle_anythingElse_is404(String target) {
        RecordedReply reply = handle(router(), "GET", target, new HeaderBlock());

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.headers().first("Penstock-Call")).isNotNull();
        assertThat(gateway.rejected()).containsExactly(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "null",
                "https://app.example:8443",
                "http://app.example",
                ""
            })
    void handle_originThatMayNotCall_is403(String origin) {
        HeaderBlock headers = new HeaderBlock().add("Origin", origin);

        assertThat(handle(router("https://app.example"), "POST", "/mcp/a", headers).status())
                .isEqualTo(403);
        assertThat(handle(router(), "POST", "/mcp/a", headers).status()).isEqualTo(403);
    }

    @Test
    void handle_twoOrigins_is403() {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Origin", "https://app.example")
                        .add("Origin", "https://app.example");

        assertThat(handle(router("https://app.example"), "POST", "/mcp/a", headers).status())
                .isEqualTo(403);
    }

    @Test
    void handle_originThatMayCall_isLetInAndMayReadTheAnswer() {
        HeaderBlock headers = new HeaderBlock().add("Origin", "https://App.example");

        RecordedReply reply = handle(router("https://app.example"), "POST", "/mcp/a", headers);

        assertThat(reply.status()).isEqualTo(201);
        assertThat(reply.headers().first("Access-Control-Allow-Origin"))
                .isEqualTo("https://App.example");
        assertThat(reply.headers().first("Access-Control-Expose-Headers"))
                .contains("Mcp-Session-Id");
        assertThat(reply.headers().first("Vary")).isEqualTo("Origin");
    }

    @Test
    void handle_preflight_isAnsweredWithoutACredential() {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Origin", "https://app.example")
                        .add("Access-Control-Request-Method", "POST")
                        .add("Access-Control-Request-Headers", "authorization,mcp-method");

        RecordedReply reply = handle(router("https://app.example"), "OPTIONS", "/mcp/a", headers);

        assertThat(reply.status()).isEqualTo(204);
        assertThat(reply.headers().first("Access-Control-Allow-Headers"))
                .isEqualTo("authorization,mcp-method");
        assertThat(reply.headers().first("Access-Control-Allow-Methods")).contains("DELETE");
    }

    @Test
    void handle_noOrigin_addsNothing() {
        RecordedReply reply = handle(router("*"), "POST", "/mcp/a", new HeaderBlock());

        assertThat(reply.headers().size()).isZero();
    }
}

package io.penstock.gateway.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.budget.Subject;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.http.HeaderBlock;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpDoorTest {
    private final FakeGateway gateway = new FakeGateway();
    private final HttpDoor door =
            new HttpDoor(
                    List.of(
                            FakeGateway.server("api", "https://api/v2/", false, "GET /users/{id}"),
                            FakeGateway.server("root", "http://root", false),
                            FakeGateway.server("files", "http://files/mcp", true)),
                    gateway.entrance());

    private RecordedReply handle(String method, String target, HeaderBlock headers, String body) {
        RecordedReply reply = new RecordedReply();
        door.handle(FakeGateway.request(method, target, headers, body.getBytes(UTF_8)), reply);
        return reply;
    }

    private RecordedReply get(String target) {
        return handle("GET", target, FakeGateway.agent(), "");
    }

    @Test
    void handle_request_becomesACountedCall() {
        RecordedReply reply =
                handle("PATCH", "/http/api/a%20b/c?q=1", FakeGateway.agent(), "raw \u0000 body");

        Call call = gateway.call();
        assertThat(call.subject()).isEqualTo(new Subject("t", "a", "api", "PATCH /*", null));
        assertThat(call.counted()).isTrue();
        assertThat(call.label()).isEqualTo("HTTP");
        assertThat(call.method()).isEqualTo("PATCH");
        assertThat(call.target()).isEqualTo("/v2/a%20b/c?q=1");
        assertThat(call.body()).asString(UTF_8).isEqualTo("raw \u0000 body");
        assertThat(call.endless()).isFalse();
        assertThat(reply.status()).isEqualTo(200);
    }

    @Test
    void handle_route_namesTheTool() {
        get("/http/api/users/7");

        assertThat(gateway.call().subject().tool()).isEqualTo("GET /users/{id}");
    }

    @ParameterizedTest
    @CsvSource({
        "/http/api, /v2",
        "/http/api/, /v2/",
        "/http/api?a, /v2?a",
        "/http/root, /",
        "/http/root?a, /?a",
        "/http/root/x/, /x/"
    })
    void handle_target_followsTheBasePath(String target, String upstream) {
        get(target);

        assertThat(gateway.call().target()).isEqualTo(upstream);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/http/api/../x", "/http/api/%2e%2e/x", "/http/api//x", "/http/api/a%5cb"})
    void handle_targetThatLeaves_is400AndReachesNobody(String target) {
        RecordedReply reply = get(target);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.headers().first("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("malformed");
        assertThat(gateway.calls()).isEmpty();
        assertThat(gateway.rejected()).containsExactly(400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRACE", "CONNECT", "PROPFIND", "get", "G\u0000T"})
    void handle_methodOutsideTheSet_is405(String method) {
        RecordedReply reply = handle(method, "/http/api/x", FakeGateway.agent(), "");

        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.headers().first("Allow")).startsWith("GET, HEAD");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void handle_upgrade_is501() {
        HeaderBlock headers =
                FakeGateway.agent().add("Connection", "Upgrade").add("Upgrade", "websocket");

        assertThat(handle("GET", "/http/api/x", headers, "").status()).isEqualTo(501);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void handle_upgradeToH2c_isIgnoredAndNotPassedOn() {
        HeaderBlock headers =
                FakeGateway.agent()
                        .add("Connection", "Upgrade, HTTP2-Settings")
                        .add("Upgrade", "h2c")
                        .add("HTTP2-Settings", "AAM");

        handle("GET", "/http/api/x", headers, "");

        assertThat(gateway.call().headers().size()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-HTTP-Method-Override",
                "x-http-method",
                "X_Method_Override",
                "X-Original-URL"
            })
    void handle_headerThatMeansAnotherRequest_is400(String name) {
        RecordedReply reply =
                handle("GET", "/http/api/x", FakeGateway.agent().add(name, "DELETE"), "");

        assertThat(reply.status()).isEqualTo(400);
        assertThat(gateway.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/http/", "/http/nobody/x", "/http/files/x", "/http/%61pi/x", "/http/API/x"})
    void handle_unknownServer_is404(String target) throws IOException {
        RecordedReply reply = get(target);

        assertThat(reply.status()).isEqualTo(404);
        assertThat(problem(reply).get("code").asText()).isEqualTo("unknown-target");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("unknown-target");
        assertThat(gateway.refused()).hasSize(1);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void handle_nobodyWeKnow_is401() throws IOException {
        RecordedReply reply = handle("GET", "/http/api/x", new HeaderBlock(), "");

        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.headers().first("WWW-Authenticate")).startsWith("Bearer");
        assertThat(problem(reply).get("status").asInt()).isEqualTo(401);
        assertThat(gateway.refused()).containsExactly("unauthenticated -");
    }

    @Test
    void handle_forwardedHeaders_keepWhatIsBetweenClientAndServer() {
        handle(
                "GET",
                "/http/api/x",
                FakeGateway.agent()
                        .add("Authorization", "Bearer secret")
                        .add("Cookie", "a=1")
                        .add("Accept-Encoding", "gzip")
                        .add("If-None-Match", "\"e\"")
                        .add("TE", "trailers")
                        .add("Host", "gateway"),
                "");

        HeaderBlock headers = gateway.call().headers();
        assertThat(headers.size()).isEqualTo(2);
        assertThat(headers.first("Accept-Encoding")).isEqualTo("gzip");
        assertThat(headers.first("If-None-Match")).isEqualTo("\"e\"");
    }

    @Test
    void refuse_budget_isAProblemDocumentWithItsStatus() throws IOException {
        Refusal refusal =
                new Refusal(
                        RefusalCode.BUDGET_EXHAUSTED,
                        "nothing left",
                        null,
                        "b",
                        5,
                        0,
                        900,
                        false,
                        "Wait.");
        gateway.upstream(
                (call, reply) ->
                        call.dialect()
                                .refuse(reply, refusal, new HeaderBlock().add("RateLimit", "x")));

        RecordedReply reply = get("/http/api/x");

        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.headers().first("Retry-After")).isEqualTo("1");
        assertThat(reply.headers().first("RateLimit")).isEqualTo("x");
        assertThat(problem(reply).toString())
                .isEqualTo(
                        "{\"type\":\"urn:penstock:refusal:budget-exhausted\","
                                + "\"title\":\"budget exhausted\",\"status\":429,"
                                + "\"detail\":\"nothing left\",\"code\":\"budget-exhausted\","
                                + "\"call\":\"00000000-0000-0000-0000-000000000001\","
                                + "\"budget\":\"b\",\"limit\":5,\"remaining\":0,"
                                + "\"retryAfterMs\":900,\"terminal\":false,\"hint\":\"Wait.\"}");
    }

    @Test
    void answered_cookiesAndOurOwnHeaders_areTakenOut() {
        gateway.upstream(
                (call, reply) -> {
                    HeaderBlock headers =
                            new HeaderBlock()
                                    .add("Set-Cookie", "a=1")
                                    .add("Penstock-Replica", "forged")
                                    .add("ETag", "e");
                    call.dialect().answered(200, headers);
                    reply.send(200, headers, new byte[0], 0, 0);
                });

        HeaderBlock headers = get("/http/api/x").headers();

        assertThat(headers.size()).isEqualTo(1);
        assertThat(headers.name(0)).isEqualTo("ETag");
    }

    private static JsonNode problem(RecordedReply reply) throws IOException {
        assertThat(reply.headers().first("Content-Type")).isEqualTo("application/problem+json");
        return new ObjectMapper().readTree(reply.body());
    }
}

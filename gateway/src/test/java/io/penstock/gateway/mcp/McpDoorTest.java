package io.penstock.gateway.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Subject;
import io.penstock.gateway.api.FakeGateway;
import io.penstock.gateway.api.RecordedReply;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class McpDoorTest {
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    private static final String READ =
            "{\"jsonrpc\":\"2.0\",\"id\":\"r-1\",\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}";

    private final FakeGateway gateway = new FakeGateway();
    private final FakeSealKeys keys = new FakeSealKeys();
    private final McpDoor door =
            new McpDoor(
                    List.of(
                            FakeGateway.server("files", "http://files:3000/mcp?v=1", true),
                            FakeGateway.server("other", "http://other", true),
                            FakeGateway.server("strict", "http://strict/mcp", true, true),
                            FakeGateway.server("plain", "http://plain/", false)),
                    gateway.entrance(),
                    new Sessions(keys, new SecureRandom()),
                    16);

    private static HeaderBlock json() {
        return FakeGateway.agent()
                .add("Content-Type", "application/json")
                .add("Accept", "application/json, text/event-stream");
    }

    private static HeaderBlock stateless(String method, @Nullable String name) {
        HeaderBlock headers =
                json().add("MCP-Protocol-Version", "2026-07-28").add("Mcp-Method", method);
        return name == null ? headers : headers.add("Mcp-Name", name);
    }

    private static String statelessBody(String method, String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\""
                + method
                + "\",\"params\":{"
                + params
                + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}";
    }

    private RecordedReply handle(String method, String target, HeaderBlock headers, String body) {
        RecordedReply reply = new RecordedReply();
        door.handle(FakeGateway.request(method, target, headers, body.getBytes(UTF_8)), reply);
        return reply;
    }

    private RecordedReply post(HeaderBlock headers, String body) {
        return handle("POST", "/mcp/files", headers, body);
    }

    private RecordedReply post(String body) {
        return post(json(), body);
    }

    private String openSession() {
        gateway.upstream(
                (call, reply) -> {
                    HeaderBlock headers =
                            new HeaderBlock()
                                    .add("Content-Type", "application/json")
                                    .add("mcp-session-id", "up-1");
                    call.dialect().answered(200, headers);
                    reply.send(200, headers, new byte[] {'{', '}'}, 0, 2);
                });
        RecordedReply reply =
                post("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}");
        gateway.calls().clear();
        return String.valueOf(reply.headers().first("Mcp-Session-Id"));
    }

    @Test
    void post_toolCall_becomesACountedCall() {
        RecordedReply reply = post(READ);

        Call call = gateway.call();
        assertThat(call.subject()).isEqualTo(new Subject("t", "a", "files", "read", null));
        assertThat(call.counted()).isTrue();
        assertThat(call.label()).isEqualTo("tools/call");
        assertThat(call.method()).isEqualTo("POST");
        assertThat(call.target()).isEqualTo("/mcp?v=1");
        assertThat(call.body()).asString(UTF_8).isEqualTo(READ);
        assertThat(call.endless()).isFalse();
        assertThat(call.arrivedNanos()).isEqualTo(42);
        assertThat(reply.status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "tools/call, true, x",
        "resources/read, true, resources/read",
        "prompts/get, true, prompts/get",
        "completion/complete, true, completion/complete",
        "made/up, true, made/up",
        "sampling/createMessage, true, sampling/createMessage",
        "notifications/initialized, true, notifications/initialized",
        "initialize, false, initialize",
        "ping, false, ping",
        "tools/list, false, tools/list",
        "resources/list, false, resources/list",
        "resources/templates/list, false, resources/templates/list",
        "resources/subscribe, false, resources/subscribe",
        "prompts/list, false, prompts/list",
        "logging/setLevel, false, logging/setLevel",
        "tasks/get, false, tasks/get",
        "server/discover, false, server/discover"
    })
    void post_request_isCountedByItsMethod(String method, boolean counted, String tool) {
        post(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\""
                        + method
                        + "\",\"params\":{\"name\":\"x\",\"uri\":\"file:///x\"}}");

        assertThat(gateway.call().counted()).isEqualTo(counted);
        assertThat(gateway.call().subject().tool()).isEqualTo(tool);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"no\"}}"
            })
    void post_notificationOrResponse_isNotCounted(String body) {
        post(body);

        assertThat(gateway.call().counted()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Careless servers run these without answering.
                "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"read\"}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"Notifications/x\"}",
                // Careless servers run these as the method that they look like.
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"Tools/Call\",\"params\":{\"name\":\"read\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tool\u017f/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call \"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\\u0000\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}",
                // No tool that a stop could name.
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\""
                        + " read\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"re\\u0000ad\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"re\\n"
                    + "ad\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"re\\u200bad\"}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":null}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"METHOD\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} {}",
                "[]",
                "nonsense"
            })
    void post_wrongMessage_isRefusedByTheProtocolsStatusAndReachesNobody(String body) {
        RecordedReply reply = post(body);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body()).contains("\"error\":{\"code\":-32");
        assertThat(reply.headers().first("Content-Type")).isEqualTo("application/json");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("malformed");
        assertThat(reply.headers().first("Penstock-Call")).isNotNull();
        assertThat(reply.headers().first("Penstock-Replica")).isEqualTo("r1");
        assertThat(gateway.calls()).isEmpty();
        assertThat(gateway.rejected()).containsExactly(400);
    }

    @Test
    void post_wrongMessageWithAnId_isAnsweredWithIt() {
        assertThat(
                        post("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"method\":\"tools/call\"}")
                                .body())
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"error\":{\"code\":-32602");
    }

    @Test
    void post_toolNameOf256Bytes_isTheLongest() {
        String longest = "é".repeat(128);
        String body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}";

        post(body.formatted(longest));
        RecordedReply refused = post(body.formatted(longest + "x"));

        assertThat(gateway.call().subject().tool()).isEqualTo(longest);
        assertThat(refused.status()).isEqualTo(400);
    }

    @Test
    void post_nobodyWeKnow_is401WithChallenge() {
        RecordedReply reply = post(new HeaderBlock().add("Content-Type", "application/json"), READ);

        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.headers().first("WWW-Authenticate")).startsWith("Bearer");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("unauthenticated");
        assertThat(reply.body()).contains("\"code\":-33001").contains("\"terminal\":true");
        assertThat(gateway.refused()).containsExactly("unauthenticated -");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_unknownServer_isRefusedInBand() {
        RecordedReply reply = handle("POST", "/mcp/nobody", json(), READ);

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body())
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"r-1\",\"error\":{\"code\":-33002");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("unknown-target");
        assertThat(gateway.refused()).containsExactly("unknown-target nobody");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/mcp/", "/mcp/a/b", "/mcp/%66iles", "/mcp/Files", "/mcp/plain"})
    void post_pathThatNamesNoMcpServer_reachesNobody(String target) {
        assertThat(handle("POST", target, json(), READ).body()).contains("-33002");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_unknownServerWithoutId_isRefusedByStatus() {
        RecordedReply reply =
                handle(
                        "POST",
                        "/mcp/nobody",
                        json(),
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");

        assertThat(reply.status()).isEqualTo(404);
    }

    @Test
    void post_slashAtTheEndOrQuery_isTheSameServer() {
        handle("POST", "/mcp/files/?token=x", json(), READ);

        assertThat(gateway.call().target()).isEqualTo("/mcp?v=1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/json-rpc",
                "application/json; charset=utf-16",
                "application/json; charset=latin1",
                "multipart/form-data"
            })
    void post_otherContentType_is415(String type) {
        HeaderBlock headers = json().set("Content-Type", type);

        assertThat(post(headers, READ).status()).isEqualTo(415);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_noContentTypeOrAnEncodedBody_is415() {
        HeaderBlock none = json();
        none.remove("Content-Type");

        assertThat(post(none, READ).status()).isEqualTo(415);
        assertThat(post(json().add("Content-Encoding", "gzip"), READ).status()).isEqualTo(415);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_contentTypeWithUtf8_isTaken() {
        post(json().set("Content-Type", "Application/JSON;charset=UTF-8"), READ);

        assertThat(gateway.calls()).hasSize(1);
    }

    @Test
    void post_acceptThatTakesNeither_is406() {
        assertThat(post(json().set("Accept", "text/html"), READ).status()).isEqualTo(406);
        assertThat(gateway.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*/*", "text/html, */*;q=0.1"})
    void post_acceptOfAnything_isMadeExplicitForTheServer(String accept) {
        post(json().set("Accept", accept), READ);

        assertThat(gateway.call().headers().first("Accept"))
                .isEqualTo("application/json, text/event-stream");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "PATCH", "OPTIONS", "HEAD", "TRACE", "post"})
    void handle_otherMethod_is405(String method) {
        RecordedReply reply = handle(method, "/mcp/files", json(), "");

        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.headers().first("Allow")).isEqualTo("POST, GET, DELETE");
    }

    @Test
    void post_forwardedHeaders_holdNoCredentialAndNothingOfOneHop() {
        post(
                json().add("Authorization", "Bearer secret")
                        .add("X-API-Key", "secret")
                        .add("Cookie", "secret")
                        .add("Connection", "close, X-Hop")
                        .add("X-Hop", "1")
                        .add("Forwarded", "for=1")
                        .add("X-Forwarded-For", "1")
                        .add("X-HELIDON-CN", "x")
                        .add("Penstock-Call", "x")
                        .add("mcp_session_id", "x")
                        .add("Accept-Encoding", "gzip")
                        .add("traceparent", "00-1")
                        .add("MCP-Protocol-Version", "2025-11-25")
                        .add("X-Custom", "kept"),
                READ);

        HeaderBlock headers = gateway.call().headers();
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < headers.size(); i++) {
            names.append(headers.name(i)).append(' ');
        }
        assertThat(names.toString().trim())
                .isEqualTo("Content-Type Accept traceparent MCP-Protocol-Version X-Custom");
    }

    @Test
    void post_methodOverride_isRefused() {
        assertThat(post(json().add("X_HTTP-Method-Override", "DELETE"), PING).status())
                .isEqualTo(400);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_unknownVersion_is400ListingThoseThatPass() {
        RecordedReply reply = post(json().add("MCP-Protocol-Version", "2099-01-01"), PING);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body())
                .contains("\"id\":1")
                .contains("\"code\":-32022")
                .contains("\"supported\":[\"2026-07-28\",\"2025-11-25\"")
                .contains("\"requested\":\"2099-01-01\"");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_statelessCallWhoseHeadersAgree_passes() {
        post(
                stateless("tools/call", "read").add("Mcp-Param-Region", "=?base64?w6k=?="),
                statelessBody("tools/call", "\"name\":\"read\","));

        assertThat(gateway.call().headers().first("Mcp-Name")).isEqualTo("read");
        assertThat(gateway.call().headers().first("Mcp-Param-Region")).isEqualTo("=?base64?w6k=?=");
    }

    @Test
    void post_statelessNameInBase64_isDecodedBeforeComparing() {
        String name = Base64.getEncoder().encodeToString("résumé".getBytes(UTF_8));

        post(
                stateless("tools/call", "=?base64?" + name + "?="),
                statelessBody("tools/call", "\"name\":\"résumé\","));

        assertThat(gateway.call().subject().tool()).isEqualTo("résumé");
    }

    @Test
    void post_statelessHeadersThatDisagree_are400() {
        String call = statelessBody("tools/call", "\"name\":\"read\",");
        HeaderBlock noMethod = stateless("tools/call", "read");
        noMethod.remove("Mcp-Method");
        HeaderBlock noVersion = stateless("tools/call", "read");
        noVersion.remove("MCP-Protocol-Version");

        List<RecordedReply> replies =
                List.of(
                        post(noMethod, call),
                        post(noVersion, call),
                        post(stateless("tools/call", null), call),
                        post(stateless("tools/list", "read"), call),
                        post(stateless("Tools/Call", "read"), call),
                        post(stateless("tools/call", "write"), call),
                        post(stateless("tools/call", "Read"), call),
                        post(stateless("tools/call", "=?base64?d3JpdGU=?="), call),
                        post(stateless("tools/call", "=?base64?cmVhZA?="), call),
                        post(stateless("tools/call", "=?base64?cmVhZB==?="), call),
                        post(stateless("tools/call", "=?base64?!?="), call),
                        post(stateless("tools/call", "read").add("mcp-name", "read"), call),
                        post(stateless("tools/call", "read").add("Mcp-Method", "x"), call),
                        post(
                                stateless("tools/call", "read")
                                        .add("Mcp-Param-A", "=?base64?/w==?="),
                                call),
                        post(stateless("tools/call", "read"), READ),
                        post(
                                stateless("tools/call", "read"),
                                call.replace("2026-07-28", "2025-11-25")),
                        post(json().add("MCP-Protocol-Version", "2025-11-25"), call),
                        post(
                                stateless("resources/read", "file:///a"),
                                statelessBody("resources/read", "\"uri\":\"file:///b\",")));

        assertThat(replies)
                .allSatisfy(
                        reply -> {
                            assertThat(reply.status()).isEqualTo(400);
                            assertThat(reply.body()).contains("\"code\":-32020");
                        });
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_sessionEraHeadersThatDisagree_areRefusedToo() {
        RecordedReply reply = post(json().add("Mcp-Method", "ping"), READ);

        assertThat(reply.body()).contains("-32020");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_statelessListen_isEndless() {
        post(stateless("subscriptions/listen", null), statelessBody("subscriptions/listen", ""));

        assertThat(gateway.call().endless()).isTrue();
        assertThat(gateway.call().counted()).isFalse();
    }

    @Test
    void post_statelessWithSessionAndLastEvent_ignoresThem() {
        gateway.upstream(
                (call, reply) -> {
                    HeaderBlock headers = new HeaderBlock().add("Mcp-Session-Id", "up");
                    call.dialect().answered(200, headers);
                    reply.send(200, headers, new byte[0], 0, 0);
                });

        RecordedReply reply =
                post(
                        stateless("tools/list", null)
                                .add("Mcp-Session-Id", "garbage")
                                .add("Last-Event-ID", "5"),
                        statelessBody("tools/list", ""));

        assertThat(gateway.call().headers().first("Mcp-Session-Id")).isNull();
        assertThat(gateway.call().headers().first("Last-Event-ID")).isNull();
        assertThat(reply.headers().first("Mcp-Session-Id")).isNull();
    }

    @Test
    void post_statelessResponse_isRefused() {
        assertThat(
                        post(stateless("x", null), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}")
                                .status())
                .isEqualTo(400);
        assertThat(gateway.calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE"})
    void handle_statelessWithoutPost_is405(String method) {
        HeaderBlock headers = FakeGateway.agent().add("MCP-Protocol-Version", "2026-07-28");

        RecordedReply reply = handle(method, "/mcp/files", headers, "");

        assertThat(reply.status()).isEqualTo(405);
        assertThat(reply.headers().first("Allow")).isEqualTo("POST");
    }

    @Test
    void session_sealedId_isOpenedForTheServer() {
        String sealed = openSession();

        assertThat(sealed).doesNotContain("up-1").hasSizeGreaterThan(40);
        RecordedReply reply = post(json().add("Mcp-Session-Id", sealed), READ);

        assertThat(gateway.call().headers().first("Mcp-Session-Id")).isEqualTo("up-1");
        assertThat(gateway.call().headers().count("Mcp-Session-Id")).isEqualTo(1);
        assertThat(gateway.call().subject().session()).hasSize(16);
        // The server repeated its id; the client keeps the one that it holds.
        assertThat(reply.headers().first("Mcp-Session-Id")).isEqualTo(sealed);
    }

    @Test
    void session_ofAnotherAgentTenantOrServer_is404() {
        String sealed = openSession();
        HeaderBlock otherAgent = json().set("Penstock-Agent", "b").add("Mcp-Session-Id", sealed);
        HeaderBlock otherTenant = json().set("Penstock-Tenant", "u").add("Mcp-Session-Id", sealed);
        HeaderBlock same = json().add("Mcp-Session-Id", sealed);

        List<RecordedReply> replies =
                List.of(
                        post(otherAgent, READ),
                        post(otherTenant, READ),
                        handle("POST", "/mcp/other", same, READ),
                        handle("GET", "/mcp/other", same, ""),
                        handle("DELETE", "/mcp/files", otherAgent, ""),
                        post(json().add("Mcp-Session-Id", "up-1"), READ),
                        post(json().add("Mcp-Session-Id", ""), READ),
                        post(json().add("Mcp-Session-Id", sealed + "A"), READ),
                        post(json().add("Mcp-Session-Id", sealed.substring(4)), READ));

        assertThat(replies).extracting(RecordedReply::status).containsOnly(404);
        assertThat(replies.getFirst().body()).contains("\"id\":\"r-1\"").contains("-32001");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void session_givenTwice_isRefused() {
        String sealed = openSession();

        RecordedReply reply =
                post(json().add("Mcp-Session-Id", sealed).add("mcp-session-id", sealed), READ);

        assertThat(reply.status()).isEqualTo(400);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void session_withoutSealKeys_isRefusedAsNotReady() {
        String sealed = openSession();
        keys.forget();

        RecordedReply initialize =
                post("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{}}");
        RecordedReply call = post(json().add("Mcp-Session-Id", sealed), READ);

        assertThat(initialize.body()).contains("-33004");
        assertThat(call.body()).contains("-33004");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void get_stream_isEndlessAndPassesTheLastEvent() {
        String sealed = openSession();
        HeaderBlock headers =
                FakeGateway.agent()
                        .add("Accept", "text/event-stream")
                        .add("Mcp-Session-Id", sealed)
                        .add("Last-Event-ID", "e-7");

        handle("GET", "/mcp/files", headers, "");

        Call call = gateway.call();
        assertThat(call.method()).isEqualTo("GET");
        assertThat(call.endless()).isTrue();
        assertThat(call.counted()).isFalse();
        assertThat(call.headers().first("Last-Event-ID")).isEqualTo("e-7");
        assertThat(call.headers().first("Mcp-Session-Id")).isEqualTo("up-1");
        assertThat(call.body()).isEmpty();
    }

    @Test
    void get_withoutEventStreamInAccept_is406() {
        HeaderBlock headers = FakeGateway.agent().add("Accept", "application/json");

        assertThat(handle("GET", "/mcp/files", headers, "").status()).isEqualTo(406);
    }

    @Test
    void delete_isForwarded() {
        String sealed = openSession();

        handle("DELETE", "/mcp/files", FakeGateway.agent().add("Mcp-Session-Id", sealed), "");

        assertThat(gateway.call().method()).isEqualTo("DELETE");
        assertThat(gateway.call().endless()).isFalse();
        assertThat(gateway.call().headers().first("Mcp-Session-Id")).isEqualTo("up-1");
    }

    @Test
    void get_withABody_isRefused() {
        HeaderBlock headers = FakeGateway.agent().add("Accept", "text/event-stream");

        assertThat(handle("GET", "/mcp/files", headers, READ).status()).isEqualTo(400);
        assertThat(handle("DELETE", "/mcp/files", headers, READ).status()).isEqualTo(400);
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void post_serverThatRefusesByStatus_doesSo() {
        gateway.upstream(
                (call, reply) ->
                        call.dialect()
                                .refuse(reply, McpDialectTest.exhausted(), new HeaderBlock()));

        assertThat(handle("POST", "/mcp/strict", json(), READ).status()).isEqualTo(429);
        assertThat(handle("POST", "/mcp/files", json(), READ).status()).isEqualTo(200);
    }

    /** A reply that the door never gave to the call path would be answered by nobody. */
    @Test
    void post_call_isGivenTheClientsReply() {
        Reply[] given = new Reply[1];
        gateway.upstream((call, reply) -> given[0] = reply);

        RecordedReply reply = post(READ);

        assertThat(given[0]).isSameAs(reply);
    }
}

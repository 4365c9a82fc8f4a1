package io.penstock.gateway.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.gateway.api.RecordedReply;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.http.HeaderBlock;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class McpDialectTest {
    private static final UUID CALL = new UUID(1, 2);

    static Refusal exhausted() {
        return new Refusal(
                RefusalCode.BUDGET_EXHAUSTED,
                "nothing is left of \"agent-rate\"",
                "tenant t",
                "agent-rate",
                100,
                0,
                1_001,
                false,
                "Wait a second.");
    }

    private static McpDialect dialect(@Nullable String id, boolean byStatus) {
        byte[] raw = id == null ? null : id.getBytes(UTF_8);
        return new McpDialect(CALL, raw, byStatus, McpDialect.Seal.NONE);
    }

    private static RecordedReply refuse(McpDialect dialect, Refusal refusal) {
        RecordedReply reply = new RecordedReply();
        dialect.refuse(reply, refusal, new HeaderBlock().add("Penstock-Decision", "x"));
        return reply;
    }

    @Test
    void refuse_request_isInBandWithItsIdAndWhatApplies() throws IOException {
        RecordedReply reply = refuse(dialect("\"a\\u0041\"", false), exhausted());

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers().first("Content-Type")).isEqualTo("application/json");
        assertThat(reply.headers().first("Retry-After")).isEqualTo("2");
        assertThat(reply.headers().first("Penstock-Decision")).isEqualTo("x");
        assertThat(reply.body()).contains("\"id\":\"a\\u0041\"");
        JsonNode error = new ObjectMapper().readTree(reply.body()).get("error");
        assertThat(error.get("code").asInt()).isEqualTo(-33008);
        assertThat(error.get("message").asText()).isEqualTo("nothing is left of \"agent-rate\"");
        assertThat(error.get("data").toString())
                .isEqualTo(
                        "{\"code\":\"budget-exhausted\",\"call\":\""
                                + CALL
                                + "\",\"scope\":\"tenant t\",\"budget\":\"agent-rate\","
                                + "\"limit\":100,\"remaining\":0,\"retryAfterMs\":1001,"
                                + "\"terminal\":false,\"hint\":\"Wait a second.\"}");
    }

    @Test
    void refuse_whatDoesNotApply_isLeftOut() throws IOException {
        Refusal stopped = Refusal.of(RefusalCode.STOPPED, "stopped", -1, true, "Stop.");

        RecordedReply reply = refuse(dialect("1", false), stopped);

        assertThat(reply.headers().first("Retry-After")).isNull();
        assertThat(new ObjectMapper().readTree(reply.body()).at("/error/data").toString())
                .isEqualTo(
                        "{\"code\":\"stopped\",\"call\":\""
                                + CALL
                                + "\",\"terminal\":true,\"hint\":\"Stop.\"}");
    }

    @Test
    void refuse_noIdOrByConfiguration_isByStatus() {
        assertThat(refuse(dialect(null, false), exhausted()).status()).isEqualTo(429);
        assertThat(refuse(dialect(null, false), exhausted()).body()).doesNotContain("\"id\"");
        assertThat(refuse(dialect("1", true), exhausted()).status()).isEqualTo(429);
    }

    @Test
    void refuse_unauthenticated_isAlwaysByStatus() {
        Refusal refusal = Refusal.of(RefusalCode.UNAUTHENTICATED, "who?", -1, true, "Say who.");

        RecordedReply reply = refuse(dialect("1", false), refusal);

        assertThat(reply.status()).isEqualTo(401);
        assertThat(reply.headers().first("WWW-Authenticate"))
                .isEqualTo("Bearer realm=\"penstock\"");
    }

    @Test
    void lastEvent_onAStreamOfEvents_isOneMoreWithTheError() {
        McpDialect dialect = dialect("5", false);
        dialect.answered(200, new HeaderBlock().add("content-type", "text/event-stream; x=1"));

        byte[] last = dialect.lastEvent(exhausted());

        assertThat(last).asString(UTF_8).startsWith("\n\nevent: message\ndata: {\"jsonrpc\"");
        assertThat(last).asString(UTF_8).contains("\"id\":5,").endsWith("}}\n\n");
    }

    @Test
    void lastEvent_onAStreamThatAnswersNoRequest_endsTheEventThatWasCut() {
        McpDialect dialect = dialect(null, false);
        dialect.answered(200, new HeaderBlock().add("Content-Type", "text/event-stream"));

        assertThat(dialect.lastEvent(exhausted())).asString(UTF_8).isEqualTo("\n\n");
    }

    @Test
    void lastEvent_onAnythingElse_isNone() {
        McpDialect dialect = dialect("5", false);

        assertThat(dialect.lastEvent(exhausted())).isNull();
        dialect.answered(200, new HeaderBlock().add("Content-Type", "application/json"));
        assertThat(dialect.lastEvent(exhausted())).isNull();
    }

    @Test
    void answered_whatTheServerMustNotSay_isTakenOut() {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Penstock-Decision", "admitted")
                        .add("Set-Cookie", "a=1")
                        .add("X-A", "1")
                        .add("set-cookie", "b=2")
                        .add("penstock-call", "x")
                        .add("Content-Type", "application/json");

        dialect("1", false).answered(200, headers);

        assertThat(headers.size()).isEqualTo(2);
        assertThat(headers.name(0)).isEqualTo("X-A");
        assertThat(headers.name(1)).isEqualTo("Content-Type");
    }

    @Test
    void answered_sessionThatCannotBeSealed_isNotTold() {
        HeaderBlock headers = new HeaderBlock().add("MCP-Session-ID", "up");

        dialect("1", false).answered(200, headers);

        assertThat(headers.size()).isZero();
    }
}

package io.penstock.gateway.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.api.FakeGateway;
import io.penstock.gateway.api.RecordedReply;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches, which one old revision has, through the door. */
class BatchTest {
    private static final String NOTE = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";

    private final FakeGateway gateway = new FakeGateway();
    private final McpDoor door =
            new McpDoor(
                    List.of(FakeGateway.server("files", "http://files/mcp", true, true)),
                    gateway.entrance(),
                    new Sessions(new FakeSealKeys(), new SecureRandom()),
                    16);

    private static HeaderBlock headers(String version) {
        return FakeGateway.agent()
                .add("Content-Type", "application/json")
                .add("Accept", "application/json, text/event-stream")
                .add("MCP-Protocol-Version", version);
    }

    private RecordedReply post(HeaderBlock headers, String... messages) {
        RecordedReply reply = new RecordedReply();
        post(reply, headers, messages);
        return reply;
    }

    private void post(RecordedReply reply, HeaderBlock headers, String... messages) {
        byte[] body = ("[" + String.join(" , ", messages) + "]").getBytes(UTF_8);
        door.handle(FakeGateway.request("POST", "/mcp/files", headers, body), reply);
    }

    private RecordedReply post(String... messages) {
        return post(headers("2025-03-26"), messages);
    }

    private static String call(int id) {
        return "{\"jsonrpc\":\"2.0\",\"id\":"
                + id
                + ",\"method\":\"tools/call\",\"params\":{\"name\":\"t"
                + id
                + "\"}}";
    }

    private static void begin(Call call, Reply reply, int status, String type) {
        HeaderBlock headers = new HeaderBlock().add("Content-Type", type);
        call.dialect().answered(status, headers);
        reply.begin(status, headers);
    }

    private static void write(Reply reply, String text) {
        byte[] bytes = text.getBytes(UTF_8);
        reply.write(bytes, 0, bytes.length);
    }

    @Test
    void batch_eachMessage_isACallOfItsOwn() {
        RecordedReply reply = post(call(1), NOTE, call(2));

        assertThat(gateway.calls())
                .extracting(call -> new String(call.body(), UTF_8))
                .containsExactly(call(1), NOTE, call(2));
        assertThat(gateway.calls())
                .extracting(call -> call.subject().tool())
                .containsExactly("t1", "notifications/x", "t2");
        assertThat(gateway.calls()).extracting(Call::id).doesNotHaveDuplicates();
        assertThat(gateway.calls()).extracting(Call::counted).containsExactly(true, false, true);
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.headers().first("Content-Type")).isEqualTo("text/event-stream");
        assertThat(reply.body()).isEqualTo("event: message\ndata: {\"ok\":true}\n\n".repeat(2));
        assertThat(reply.ended()).isTrue();
    }

    @Test
    void batch_laterMessages_arriveWhenTheirTurnComes() {
        post(call(1), call(2));

        assertThat(gateway.calls().get(0).arrivedNanos()).isEqualTo(42);
        assertThat(gateway.calls().get(1).arrivedNanos()).isNotEqualTo(42);
    }

    @Test
    void batch_answersOfBothKinds_areMergedAsTheyCome() {
        gateway.upstream(
                (call, reply) -> {
                    if (call.subject().tool().equals("t1")) {
                        begin(call, reply, 200, "text/event-stream");
                        write(reply, "data: {\"progress\":1}\n\n");
                        write(reply, "data: {\"id\":1}\n\n");
                    } else {
                        begin(call, reply, 200, "application/json");
                        write(reply, "{\n  \"id\":");
                        write(reply, " 2\r\n}");
                    }
                    reply.end();
                });

        RecordedReply reply = post(call(1), call(2));

        assertThat(reply.body())
                .isEqualTo(
                        "data: {\"progress\":1}\n\n"
                                + "data: {\"id\":1}\n\n\n\n"
                                + "event: message\n"
                                + "data: {\n"
                                + "data:   \"id\": 2\n"
                                + "data: \n"
                                + "data: }\n\n");
    }

    @Test
    void batch_refusedMessage_isAnsweredInBandAndTheOthersGoOn() {
        gateway.upstream(
                (call, reply) -> {
                    if (call.subject().tool().equals("t1")) {
                        call.dialect().refuse(reply, McpDialectTest.exhausted(), new HeaderBlock());
                    } else {
                        FakeGateway.answer(call, reply);
                    }
                });

        RecordedReply reply = post(call(1), call(2));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.body())
                .startsWith("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":")
                .endsWith("event: message\ndata: {\"ok\":true}\n\n");
    }

    @Test
    void batch_ofNotifications_isAccepted() {
        gateway.upstream((call, reply) -> reply.send(202, new HeaderBlock(), new byte[0], 0, 0));

        RecordedReply reply = post(NOTE, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        assertThat(reply.status()).isEqualTo(202);
        assertThat(reply.body()).isEmpty();
        assertThat(gateway.calls()).hasSize(2);
    }

    @Test
    void batch_errorStatusFirst_isTheAnswerToAll() {
        gateway.upstream(
                (call, reply) -> {
                    byte[] gone = "gone".getBytes(UTF_8);
                    reply.send(404, new HeaderBlock(), gone, 0, gone.length);
                });

        RecordedReply reply = post(call(1), call(2));

        assertThat(reply.status()).isEqualTo(404);
        assertThat(reply.body()).isEqualTo("gone");
        assertThat(gateway.calls()).hasSize(1);
    }

    @Test
    void batch_errorStatusLater_becomesAnErrorInTheStream() {
        gateway.upstream(
                (call, reply) -> {
                    if (call.subject().tool().equals("t1")) {
                        FakeGateway.answer(call, reply);
                    } else {
                        begin(call, reply, 500, "text/html");
                        write(reply, "<html>");
                        reply.end();
                    }
                });

        RecordedReply reply = post(call(1), call(2), call(3));

        assertThat(reply.body())
                .contains("\"id\":2,\"error\":{\"code\":-32603")
                .contains("\"id\":3,\"error\":{\"code\":-32603")
                .doesNotContain("html");
    }

    @Test
    void batch_answerCutShort_cutsTheWholeShort() {
        gateway.upstream(
                (call, reply) -> {
                    begin(call, reply, 200, "application/json");
                    write(reply, "{\"half\":");
                    reply.abort();
                });

        RecordedReply reply = post(call(1), call(2));

        assertThat(reply.aborted()).isTrue();
        assertThat(gateway.calls()).hasSize(1);
    }

    @Test
    void batch_clientLeaves_runsNoFurtherMessage() {
        RecordedReply client = new RecordedReply();
        boolean[] told = new boolean[1];
        gateway.upstream(
                (call, reply) -> {
                    reply.whenGone(() -> told[0] = true);
                    client.leave();
                });

        post(client, headers("2025-03-26"), call(1), call(2));

        assertThat(told[0]).isTrue();
        assertThat(gateway.calls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"})
    void batch_otherRevision_isRefused(String version) {
        RecordedReply reply = post(headers(version), call(1));

        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.body()).contains("-32600").contains("batches");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void batch_oneWrongMessage_refusesAllBeforeAnyRuns() {
        assertThat(post(call(1), "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}").status())
                .isEqualTo(400);
        assertThat(post(call(1), call(1)).status()).isEqualTo(400);
        assertThat(
                        post(call(1), "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"initialize\"}")
                                .status())
                .isEqualTo(400);
        assertThat(post(headers("2025-03-26").add("Mcp-Name", "t1"), call(1), call(2)).body())
                .contains("-32020");
        assertThat(gateway.calls()).isEmpty();
    }

    @Test
    void batch_clientThatTakesNoEvents_is406() {
        assertThat(post(headers("2025-03-26").set("Accept", "application/json"), call(1)).status())
                .isEqualTo(406);
    }
}

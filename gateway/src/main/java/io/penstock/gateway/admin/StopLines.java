package io.penstock.gateway.admin;

import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A stop's progress as lines of JSON, each sent when it happens, for who watches a stop: {@code
 * event} says what a line tells.
 */
final class StopLines implements Progress {
    static final String TYPE = "application/x-ndjson";

    private final Reply reply;

    StopLines(Reply reply) {
        this.reply = reply;
    }

    /** Whether the caller asks for lines. */
    static boolean wanted(InboundRequest request) {
        String accept = request.headers().first("Accept");
        return accept != null && accept.contains(TYPE);
    }

    /** The first line: the order holds on this replica. */
    void held(Map<String, @Nullable Object> given) {
        reply.begin(
                200,
                new HeaderBlock()
                        .add("Content-Type", TYPE)
                        .add("Cache-Control", "no-store")
                        .add("X-Content-Type-Options", "nosniff"));
        line("held", given);
    }

    @Override
    public void retrying(String reason) {
        line("retrying", Map.of("reason", reason));
    }

    @Override
    public void recorded(long epoch) {
        line("recorded", Map.of("epoch", epoch));
    }

    @Override
    public void answered(ReplicaAnswer answer) {
        line("replica", StopOrders.described(answer));
    }

    @Override
    public void closed(int open) {
        line("closed", Map.of("open", open));
    }

    /** The last line. */
    void end(Map<String, @Nullable Object> given) {
        line("answer", given);
        reply.end();
    }

    private void line(String event, Map<String, ?> members) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("event", event);
        line.putAll(members);
        byte[] bytes = Answer.line(line);
        reply.write(bytes, 0, bytes.length);
    }
}

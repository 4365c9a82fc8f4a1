package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.cluster.operator.Result;
import io.penstock.cluster.operator.StopReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * Gives a stop through a replica's admin API. That replica holds it at once, even where the
 * database is away, and then sees it through the cluster, and says line by line what it sees.
 */
final class AdminStop {
    /** The longest that a replica waits for the confirmation in one answer. */
    static final Duration WAIT_MAX = Duration.ofSeconds(60);

    private static final long REPEAT_MILLIS = 500;

    private final AdminClient client;
    private final OrderLines lines;
    private boolean heldTold;
    private long recordedEpoch;

    AdminStop(AdminClient client, OrderLines lines) {
        this.client = client;
        this.lines = lines;
    }

    StopReport give(StopOrder order, Patience patience) throws IOException, InterruptedException {
        StopReport report = once(order, patience);
        // The same ids: giving it again changes nothing where it is recorded already.
        while (patience.untilRecorded() && report.result() == Result.NOT_RECORDED) {
            lines.retrying(report.message());
            Thread.sleep(REPEAT_MILLIS);
            report = once(order, patience);
        }
        return report;
    }

    private StopReport once(StopOrder order, Patience patience)
            throws IOException, InterruptedException {
        List<JsonNode> answers = new ArrayList<>();
        ObjectNode body = body(order, patience.atMost());
        try {
            client.watch(
                    "/v1/stops",
                    body,
                    patience.atMost(),
                    line -> {
                        told(line);
                        if (line.path("event").asText().equals("answer")) {
                            answers.add(line);
                        }
                    });
        } catch (IOException e) {
            if (!heldTold) {
                throw e;
            }
            return brokenOff(order, e);
        }
        return answers.isEmpty()
                ? brokenOff(order, new IOException("the replica's answer ended too early"))
                : report(order, answers.getLast().path("confirmation"));
    }

    private void told(JsonNode line) {
        switch (line.path("event").asText()) {
            case "held" -> held(line.path("outlivesRestart").asBoolean());
            case "retrying" -> lines.retrying(line.path("reason").asText());
            case "recorded" -> {
                recordedEpoch = line.path("epoch").asLong();
                lines.recorded(recordedEpoch);
            }
            case "replica" -> lines.answered(answer(line));
            case "closed" -> lines.closed(line.path("open").asInt());
            default -> {
                // The answer; or what a later version tells besides.
            }
        }
    }

    private void held(boolean outlivesRestart) {
        if (!heldTold) {
            heldTold = true;
            lines.held(outlivesRestart);
        }
    }

    /** The replica went away while it saw the stop through. */
    private StopReport brokenOff(StopOrder order, IOException e) {
        boolean recorded = recordedEpoch > 0;
        return new StopReport(
                recorded ? Result.NOT_CONFIRMED : Result.NOT_RECORDED,
                order,
                recordedEpoch,
                Duration.ZERO,
                List.of(),
                (recorded ? "recorded, not confirmed: " : "not known to be recorded: ")
                        + e.getMessage());
    }

    private static StopReport report(StopOrder order, JsonNode confirmation) {
        List<ReplicaAnswer> replicas = new ArrayList<>();
        confirmation.path("replicas").forEach(each -> replicas.add(answer(each)));
        return new StopReport(
                switch (confirmation.path("result").asText()) {
                    case "confirmed" -> Result.CONFIRMED;
                    case "not-recorded" -> Result.NOT_RECORDED;
                    default -> Result.NOT_CONFIRMED;
                },
                order,
                confirmation.path("epoch").asLong(),
                Duration.ofMillis(confirmation.path("recordedAfterMs").asLong()),
                replicas,
                confirmation.path("message").asText("not waited for the confirmation"));
    }

    private static ReplicaAnswer answer(JsonNode line) {
        return new ReplicaAnswer(
                line.path("replica").asText(),
                UUID.fromString(line.path("incarnation").asText()),
                ReplicaAnswer.Kind.valueOf(line.path("kind").asText().toUpperCase(Locale.ROOT)),
                Duration.ofNanos((long) (line.path("afterMs").asDouble() * 1e6)),
                line.path("cut").asInt(),
                line.path("open").asInt());
    }

    private static ObjectNode body(StopOrder order, Duration wait) {
        ObjectNode body = new ObjectMapper().createObjectNode();
        var scopes = body.putArray("scopes");
        for (StopOrder.Target target : order.targets()) {
            ObjectNode scope = scopes.addObject();
            scope.put("kind", target.scope().kind());
            if (target.scope().value() != null) {
                scope.put("value", target.scope().value());
            }
            scope.put("id", target.id().toString());
        }
        body.put("reason", order.reason());
        body.put("drain", order.drain());
        body.put("showReason", order.showReason());
        return body.put("waitMs", wait.toMillis());
    }
}

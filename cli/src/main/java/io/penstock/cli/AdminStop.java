package io.penstock.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import java.io.IOException;
import java.time.Duration;

/**
 * Gives a stop through a replica's admin API. That replica holds it at once, even where the
 * database is away, and then sees it through the cluster.
 */
final class AdminStop {
    /** The longest that a replica waits for the confirmation in one answer. */
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    private static final long REPEAT_MILLIS = 500;

    private final AdminClient client;
    private final Terminal terminal;
    private final boolean json;

    AdminStop(AdminClient client, Terminal terminal, boolean json) {
        this.client = client;
        this.terminal = terminal;
        this.json = json;
    }

    int give(StopOrder order, Patience patience) throws IOException, InterruptedException {
        Duration wait = patience.atMost().compareTo(WAIT_MAX) > 0 ? WAIT_MAX : patience.atMost();
        ObjectNode body = body(order, wait);
        JsonNode answer = client.post("/v1/stops", body, wait).body();
        // The same ids: giving it again changes nothing where it is recorded already.
        while (patience.untilRecorded() && result(answer).equals("not-recorded")) {
            terminal.note("held by that replica, not recorded yet (trying again)");
            Thread.sleep(REPEAT_MILLIS);
            answer = client.post("/v1/stops", body, wait).body();
        }
        if (json) {
            terminal.json(answer);
        } else {
            print(answer);
        }
        return exitCode(answer);
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

    private static String result(JsonNode answer) {
        return answer.path("confirmation").path("result").asText("not-confirmed");
    }

    private static int exitCode(JsonNode answer) {
        return switch (result(answer)) {
            case "confirmed" -> ExitCode.DONE;
            case "not-recorded" -> ExitCode.FAILED;
            default -> ExitCode.NOT_CONFIRMED;
        };
    }

    private void print(JsonNode answer) {
        for (JsonNode stop : answer.path("stops")) {
            String value = stop.path("value").asText("");
            terminal.line(
                    "stop "
                            + stop.path("id").asText()
                            + ": "
                            + stop.path("kind").asText()
                            + (value.isEmpty() || value.equals("null") ? "" : " " + value));
        }
        terminal.line(
                answer.path("outlivesRestart").asBoolean()
                        ? "held by that replica, also over its restart"
                        : "held by that replica until it restarts or the stop is recorded");
        JsonNode confirmation = answer.path("confirmation");
        for (JsonNode replica : confirmation.path("replicas")) {
            Style style =
                    switch (replica.path("kind").asText()) {
                        case "acked" -> Style.GOOD;
                        case "fenced" -> Style.WARNING;
                        default -> Style.BAD;
                    };
            terminal.line(
                    "%-12s %s"
                            .formatted(
                                    replica.path("replica").asText(),
                                    terminal.styled(style, replica.path("text").asText())));
        }
        Style style = exitCode(answer) == ExitCode.DONE ? Style.GOOD : Style.BAD;
        String message = confirmation.path("message").asText("not waited for the confirmation");
        terminal.line(terminal.styled(style, message));
    }
}

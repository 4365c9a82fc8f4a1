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
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Gives a stop through a replica's admin API. That replica holds it at once, even where the
 * database is away, and then sees it through the cluster, and says line by line what it sees.
 */
final class AdminStop {
    /** The longest that a replica waits for the confirmation in one answer. */
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    private static final Duration RECORD_WAIT_MIN = Duration.ofSeconds(1);
    private static final long REPEAT_MILLIS = 500;

    private final AdminClient client;
    private final OrderLines lines;
    private final LongSupplier ticker;
    private final Set<Answered> told = new HashSet<>();
    private boolean held;
    private boolean broken;
    private long epoch;
    private long recordedNanos;

    /** What was shown already, where the order is given again. */
    private record Answered(UUID incarnation, ReplicaAnswer.Kind kind, int open) {}

    /**
     * @param ticker monotonic nanoseconds of this process
     */
    AdminStop(AdminClient client, OrderLines lines, LongSupplier ticker) {
        this.client = client;
        this.lines = lines;
        this.ticker = ticker;
    }

    /**
     * Gives it, and again with the same ids where one answer of the replica is not enough: that
     * changes nothing where it is recorded already.
     */
    StopReport give(StopOrder order, Patience patience) throws IOException, InterruptedException {
        long began = ticker.getAsLong();
        Duration left = patience.atMost();
        while (true) {
            StopReport report = once(order, wait(left, patience));
            boolean missing = report.result() == Result.NOT_RECORDED && report.epoch() == 0;
            if (missing && patience.untilRecorded()) {
                lines.retrying(report.message());
                Thread.sleep(REPEAT_MILLIS);
                continue;
            }
            long from = patience.untilRecorded() ? recordedNanos : began;
            left = patience.atMost().minusNanos(ticker.getAsLong() - from);
            if (report.result() != Result.NOT_CONFIRMED || broken || !left.isPositive()) {
                return report;
            }
        }
    }

    private Duration wait(Duration left, Patience patience) {
        if (patience.untilRecorded() && epoch == 0 && left.compareTo(RECORD_WAIT_MIN) < 0) {
            return RECORD_WAIT_MIN;
        }
        return left.compareTo(WAIT_MAX) > 0 ? WAIT_MAX : left;
    }

    private StopReport once(StopOrder order, Duration wait)
            throws IOException, InterruptedException {
        List<JsonNode> answers = new ArrayList<>();
        try {
            client.watch(
                    "/v1/stops",
                    body(order, wait),
                    wait,
                    line -> {
                        told(line);
                        if (line.path("event").asText().equals("answer")) {
                            answers.add(line);
                        }
                    });
        } catch (IOException e) {
            if (!held) {
                throw e;
            }
            return brokenOff(order, String.valueOf(e.getMessage()));
        }
        return answers.isEmpty()
                ? brokenOff(order, "the replica's answer ended too early")
                : report(order, answers.getLast().path("confirmation"));
    }

    private void told(JsonNode line) {
        switch (line.path("event").asText()) {
            case "held" -> held(line.path("outlivesRestart").asBoolean());
            case "retrying" -> lines.retrying(line.path("reason").asText());
            case "recorded" -> recorded(line.path("epoch").asLong());
            case "replica" -> answered(answer(line));
            case "closed" -> lines.closed(line.path("open").asInt());
            default -> {
                // The answer; or what a later version tells besides.
            }
        }
    }

    private void held(boolean outlivesRestart) {
        if (!held) {
            held = true;
            lines.held(outlivesRestart);
        }
    }

    private void recorded(long of) {
        if (epoch == 0) {
            epoch = of;
            recordedNanos = ticker.getAsLong();
            lines.recorded(of);
        }
    }

    private void answered(ReplicaAnswer answer) {
        if (told.add(new Answered(answer.incarnation(), answer.kind(), answer.open()))) {
            lines.answered(answer);
        }
    }

    /** The replica went away while it saw the stop through. */
    private StopReport brokenOff(StopOrder order, String reason) {
        broken = true;
        boolean recorded = epoch > 0;
        return new StopReport(
                recorded ? Result.NOT_CONFIRMED : Result.NOT_RECORDED,
                order,
                epoch,
                Duration.ZERO,
                List.of(),
                (recorded ? "recorded, not confirmed: " : "not known to be recorded: ") + reason);
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

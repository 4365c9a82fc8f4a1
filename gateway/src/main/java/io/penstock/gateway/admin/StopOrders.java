package io.penstock.gateway.admin;

import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.cluster.operator.Result;
import io.penstock.cluster.operator.StopReport;
import io.penstock.gateway.http.InboundRequest;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes an order to stop: holds it on this replica at once, then, if the caller waits, sees it
 * through the cluster.
 */
final class StopOrders {
    private static final System.Logger LOG = System.getLogger(StopOrders.class.getName());
    private static final Set<String> MEMBERS =
            Set.of("scopes", "reason", "drain", "showReason", "waitMs");
    private static final Set<String> SCOPE_MEMBERS = Set.of("kind", "value", "id");
    private static final int KIND_MAX = 16;
    private static final int UUID_CHARS = 36;
    private static final long WAIT_MILLIS_MAX = 60_000;

    private final StopGiver giver;
    private final Supplier<UUID> ids;

    StopOrders(StopGiver giver, Supplier<UUID> ids) {
        this.giver = giver;
        this.ids = ids;
    }

    Response give(InboundRequest request, String actor) {
        JsonBody body = JsonBody.of(request, MEMBERS);
        StopOrder order = order(body, actor);
        Patience patience =
                new Patience(
                        Duration.ofMillis(body.number("waitMs", 0, WAIT_MILLIS_MAX, 0)), false);
        boolean kept = giver.latch(order);
        LOG.log(
                Level.WARNING,
                "event=stop-given actor={0} scopes=\"{1}\" drain={2} reason=\"{3}\"",
                actor,
                String.join(", ", order.targets().stream().map(t -> t.scope().text()).toList()),
                order.drain(),
                order.reason());
        if (StopLines.wanted(request)) {
            return reply -> tell(order, kept, patience, new StopLines(reply));
        }
        StopReport report = confirm(order, patience, Progress.NONE);
        boolean confirmed = report != null && report.result() == Result.CONFIRMED;
        return Answer.json(confirmed ? 200 : 202, given(order, kept, report));
    }

    private @Nullable StopReport confirm(StopOrder order, Patience patience, Progress progress) {
        return patience.atMost().isZero() ? null : giver.confirm(order, patience, progress);
    }

    /** Says what happens as it happens; the last line is the answer that others get at once. */
    private void tell(StopOrder order, boolean kept, Patience patience, StopLines lines) {
        lines.held(given(order, kept, null));
        lines.end(given(order, kept, confirm(order, patience, lines)));
    }

    private static Map<String, @Nullable Object> given(
            StopOrder order, boolean kept, @Nullable StopReport report) {
        Map<String, @Nullable Object> given = new LinkedHashMap<>();
        given.put("stops", described(order));
        given.put("heldHere", true);
        given.put("outlivesRestart", kept);
        given.put("confirmation", report == null ? null : described(report));
        return given;
    }

    private StopOrder order(JsonBody body, String actor) {
        List<StopOrder.Target> targets = new ArrayList<>();
        for (JsonBody scope : body.objects("scopes", StopOrder.TARGETS_MAX, SCOPE_MEMBERS)) {
            targets.add(new StopOrder.Target(id(scope), scope(scope)));
        }
        return new StopOrder(
                targets,
                body.text("reason", StopOrder.REASON_MAX),
                actor,
                body.flag("drain"),
                body.flag("showReason"));
    }

    /** A caller that chose the ids can repeat its order without giving it twice. */
    private UUID id(JsonBody scope) {
        if (!scope.has("id")) {
            return ids.get();
        }
        String text = scope.text("id", UUID_CHARS);
        try {
            UUID id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException e) {
            // Said below, as for a shortened form.
        }
        throw new BadRequestException("a scope's id is a UUID");
    }

    private static Scope scope(JsonBody scope) {
        String kind = scope.text("kind", KIND_MAX);
        String value = scope.has("value") ? scope.text("value", Scope.VALUE_BYTES_MAX) : null;
        try {
            return Scope.parse(kind, value);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(String.valueOf(e.getMessage()));
        }
    }

    static List<Map<String, @Nullable Object>> described(StopOrder order) {
        List<Map<String, @Nullable Object>> stops = new ArrayList<>();
        for (StopOrder.Target target : order.targets()) {
            Map<String, @Nullable Object> stop = new LinkedHashMap<>();
            stop.put("id", target.id().toString());
            stop.put("kind", target.scope().kind());
            stop.put("value", target.scope().value());
            stop.put("reason", order.reason());
            stop.put("actor", order.actor());
            stop.put("drain", order.drain());
            stop.put("showReason", order.showReason());
            stops.add(stop);
        }
        return stops;
    }

    private static Map<String, @Nullable Object> described(StopReport report) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("result", word(report.result()));
        members.put("epoch", report.epoch());
        members.put("recordedAfterMs", report.recordedAfter().toMillis());
        members.put("message", report.message());
        members.put("replicas", report.replicas().stream().map(StopOrders::described).toList());
        return members;
    }

    static Map<String, @Nullable Object> described(ReplicaAnswer answer) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("replica", answer.replica());
        members.put("incarnation", answer.incarnation().toString());
        members.put("kind", answer.kind().name().toLowerCase(Locale.ROOT));
        members.put("afterMs", answer.after().toNanos() / 1_000 / 1000.0);
        members.put("cut", answer.cut());
        members.put("open", answer.open());
        members.put("text", answer.text());
        return members;
    }

    private static String word(Result result) {
        return switch (result) {
            case CONFIRMED -> "confirmed";
            case NOT_RECORDED -> "not-recorded";
            case NOT_CONFIRMED -> "not-confirmed";
        };
    }
}

package io.penstock.gateway.admin;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.Stop;
import io.penstock.gateway.admin.StatusSource.View;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the operators' API shows. This replica's own view is always there; the database's, where it
 * answers, and {@code unavailable} says why not.
 */
final class StatusPages {
    private final ReplicaState replica;
    private final Queries queries;

    StatusPages(ReplicaState replica, Queries queries) {
        this.replica = replica;
        this.queries = queries;
    }

    Answer status() {
        Map<String, View> wanted = new LinkedHashMap<>();
        wanted.put("cluster", View.CLUSTER);
        wanted.put("replicas", View.REPLICAS);
        wanted.put("duties", View.DUTIES);
        wanted.put("stops", View.STOPS);
        wanted.put("blocks", View.BLOCKS);
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("answeredBy", own());
        List<String> problems = queries.collect(answer, wanted);
        if (answer.get("cluster") instanceof List<?> rows && !rows.isEmpty()) {
            answer.put("cluster", rows.getFirst());
        }
        return finished(answer, problems);
    }

    private Map<String, @Nullable Object> own() {
        Snapshot state = replica.snapshot();
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        own.put("replica", replica.name());
        own.put("version", replica.version());
        own.put("ready", replica.ready());
        own.put("draining", replica.draining());
        String closed = replica.whyClosed();
        own.put("admits", replica.ready() && closed == null);
        own.put("reason", closed);
        own.put("epoch", state.epoch());
        own.put("revision", state.rules().revision());
        own.put("leaseLeftMs", replica.leaseLeftNanos() / 1_000_000);
        own.put("openCalls", replica.openCalls());
        own.put("stopsHeldHere", state.stops().size());
        return own;
    }

    Answer stops() {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        List<String> problems = queries.collect(answer, Map.of("stops", View.STOPS));
        answer.put("heldHere", held());
        List<Map<String, @Nullable Object>> unrecorded = new ArrayList<>();
        replica.latched().forEach(order -> unrecorded.addAll(StopOrders.described(order)));
        answer.put("unrecorded", unrecorded);
        return finished(answer, problems);
    }

    private List<Map<String, @Nullable Object>> held() {
        List<Map<String, @Nullable Object>> held = new ArrayList<>();
        for (Stop stop : replica.snapshot().stops()) {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("id", stop.id().toString());
            one.put("kind", stop.scope().kind());
            one.put("value", stop.scope().value());
            one.put("epoch", stop.epoch());
            held.add(one);
        }
        return held;
    }

    /** What the rules in force here would make of a call. */
    Answer explain(Question question) {
        Rules rules = replica.snapshot().rules();
        if (!rules.servers().containsKey(question.server())) {
            throw new BadRequestException(
                    "revision %d has no server %s".formatted(rules.revision(), question.server()));
        }
        List<Map<String, Object>> budgets = queries.explain(rules, question.subject());
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("revision", rules.revision());
        answer.put(
                "refused", budgets.stream().anyMatch(b -> Boolean.TRUE.equals(b.get("refuses"))));
        answer.put("budgets", budgets);
        return Answer.json(200, answer);
    }

    /** Views that only the database knows: without it there is nothing to show. */
    Answer rows(String name, View view) {
        return Answer.json(200, Map.of(name, queries.rows(view)));
    }

    private static Answer finished(Map<String, @Nullable Object> answer, List<String> problems) {
        if (!problems.isEmpty()) {
            answer.put("unavailable", problems.getFirst());
        }
        return Answer.json(200, answer);
    }
}

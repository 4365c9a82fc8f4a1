package io.penstock.gateway.admin;

import io.penstock.gateway.config.Readiness;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether to restart this replica, whether to send it calls, and whether it can admit any.
 *
 * <p>Ready means: it answers. A stop or a database that is away must not pull every replica out of
 * rotation, because then nobody gets the refusal that says why. {@code readiness: admit} makes
 * ready the same as admitting.
 */
final class Health {
    private final ReplicaState replica;
    private final Readiness readiness;

    Health(ReplicaState replica, Readiness readiness) {
        this.replica = replica;
        this.readiness = readiness;
    }

    Answer live() {
        return Answer.json(200, Map.of("status", "live"));
    }

    Answer ready() {
        @Nullable String closed = replica.whyClosed();
        boolean ready = replica.ready() && !(readiness == Readiness.ADMIT && closed != null);
        return answer(ready, ready ? "ready" : "not-ready", closed);
    }

    Answer admit() {
        @Nullable String closed = replica.whyClosed();
        boolean admits = replica.ready() && closed == null;
        return answer(admits, admits ? "admits" : "refuses", closed);
    }

    private Answer answer(boolean good, String status, @Nullable String closed) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", status);
        members.put("replica", replica.name());
        members.put("answers", replica.ready());
        members.put("admits", replica.ready() && closed == null);
        members.put("draining", replica.draining());
        members.put("stops", replica.snapshot().stops().size());
        if (closed != null) {
            members.put("reason", closed);
        } else if (!replica.ready()) {
            members.put("reason", replica.draining() ? "draining" : "starting");
        }
        return Answer.json(good ? 200 : 503, members);
    }
}

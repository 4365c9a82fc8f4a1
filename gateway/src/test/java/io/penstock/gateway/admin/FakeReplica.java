package io.penstock.gateway.admin;

import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.Stop;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.cluster.operator.Result;
import io.penstock.cluster.operator.StopReport;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** All ports of the admin plane over plain fields. */
final class FakeReplica implements ReplicaState, StatusSource, StopGiver, BlockGiver {
    volatile boolean ready = true;
    volatile boolean draining;
    volatile @Nullable String whyClosed;
    volatile boolean databaseAway;
    volatile Runnable meanwhile = () -> {};
    volatile Result result = Result.CONFIRMED;
    final List<Subject> asked = new CopyOnWriteArrayList<>();
    final List<StopOrder> latched = new CopyOnWriteArrayList<>();
    final List<StopOrder> confirmed = new CopyOnWriteArrayList<>();
    final List<BlockGiver.Order> blocks = new CopyOnWriteArrayList<>();

    @Override
    public String name() {
        return "a";
    }

    @Override
    public String version() {
        return "0.1.0-test";
    }

    @Override
    public boolean ready() {
        return ready;
    }

    @Override
    public boolean draining() {
        return draining;
    }

    @Override
    public @Nullable String whyClosed() {
        return whyClosed;
    }

    @Override
    public Snapshot snapshot() {
        return new Snapshot(
                7,
                new Rules(3, List.of(), Map.of("files", Mode.ENFORCE), Duration.ofSeconds(1)),
                List.of(
                        new Stop(
                                new UUID(0, 1),
                                new Scope.Tenant("acme"),
                                "why",
                                "me",
                                7,
                                false,
                                false)),
                List.of(),
                KeyRing.EMPTY,
                0);
    }

    @Override
    public long leaseLeftNanos() {
        return 500_000_000;
    }

    @Override
    public int openCalls() {
        return 4;
    }

    @Override
    public List<StopOrder> latched() {
        return latched;
    }

    @Override
    public List<Map<String, @Nullable Object>> rows(View view, int most) {
        if (databaseAway) {
            throw new IllegalStateException("secret-host:5432 refused");
        }
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("view_name", view.name());
        row.put("some_null", null);
        row.put("budget", "agent-rate");
        row.put("ratio", 0.25);
        return List.of(row);
    }

    @Override
    public List<Map<String, Object>> explain(Rules rules, Subject subject) {
        if (databaseAway) {
            throw new IllegalStateException("secret-host:5432 refused");
        }
        asked.add(subject);
        return List.of(Map.of("budget", "agent-rate", "refuses", true));
    }

    @Override
    public boolean latch(StopOrder order) {
        latched.add(order);
        return true;
    }

    @Override
    public StopReport confirm(StopOrder order, Patience patience, Progress progress) {
        confirmed.add(order);
        ReplicaAnswer answer =
                new ReplicaAnswer(
                        "a", new UUID(0, 9), ReplicaAnswer.Kind.ACKED, Duration.ofMillis(3), 1, 0);
        progress.recorded(8);
        progress.answered(answer);
        meanwhile.run();
        return new StopReport(result, order, 8, Duration.ofMillis(2), List.of(answer), "confirmed");
    }

    @Override
    public Instant block(BlockGiver.Order order) {
        if (databaseAway) {
            throw new IllegalStateException("secret-host:5432 refused");
        }
        blocks.add(order);
        return Instant.parse("2026-12-01T00:00:00Z").plus(order.length());
    }
}

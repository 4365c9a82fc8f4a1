package io.penstock.cluster.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Does every alert reach people, and each once, over two replicas? */
final class AlertsIT {
    private static final Counter COUNTER =
            new Counter(
                    "1:bCf1000000t4:acme",
                    new Budget(
                            "b",
                            Unit.CALLS,
                            100,
                            new Window.Fixed(1_000_000),
                            Set.of(),
                            null,
                            null,
                            Mode.ENFORCE),
                    false);

    private final TestDatabase database = TestDatabase.fresh();
    private final BlockingQueue<Alert> delivered = new LinkedBlockingQueue<>();
    private final AtomicInteger raised = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    @AfterEach
    void drop() {
        database.close();
    }

    private Alerts alerts(boolean sends) {
        Alerts alerts =
                new Alerts(
                        new Connector(database.gateway()),
                        (_, _) -> raised.incrementAndGet(),
                        sends ? this::send : null,
                        1);
        alerts.start();
        return alerts;
    }

    private boolean send(Alert alert) {
        if (failures.getAndDecrement() > 0) {
            return false;
        }
        delivered.add(alert);
        return true;
    }

    private Alert next() throws InterruptedException {
        Alert alert = delivered.poll(30, TimeUnit.SECONDS);
        if (alert == null) {
            throw new AssertionError("no alert was delivered");
        }
        return alert;
    }

    private long number(String sql) throws SQLException {
        try (Connection c = database.connectAsOwner();
                PreparedStatement s = c.prepareStatement(sql);
                ResultSet row = s.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void crossed_onTwoReplicasAtOnce_isRecordedAndDeliveredOnce() throws Exception {
        try (Alerts one = alerts(true);
                Alerts two = alerts(false)) {
            for (int i = 0; i < 5; i++) {
                one.crossed(new Crossing(COUNTER, 7, 80, 81));
                two.crossed(new Crossing(COUNTER, 7, 80, 82));
            }
            two.crossed(new Crossing(COUNTER, 8, 80, 80));

            Alert first = next();
            Alert second = next();

            assertThat(first.id()).isNotEqualTo(second.id());
            assertThat(first.budget()).isEqualTo("b");
            assertThat(first.scope()).isEqualTo("{\"tenant\": \"acme\"}");
            assertThat(first.percent()).isEqualTo(80);
            assertThat(first.limit()).isEqualTo(100);
            assertThat(delivered.poll(1_500, TimeUnit.MILLISECONDS)).isNull();
            assertThat(raised).hasValue(2);
            assertThat(number("select count(*) from penstock.alerts")).isEqualTo(2);
        }
    }

    @Test
    void send_refused_isTriedAgainLaterUnderTheSameId() throws Exception {
        failures.set(1);
        try (Alerts alerts = alerts(true)) {
            alerts.crossed(new Crossing(COUNTER, 7, 95, 96));
            while (failures.get() > 0) {
                Thread.onSpinWait();
            }
            try (Connection c = database.connectAsOwner();
                    PreparedStatement s =
                            c.prepareStatement(
                                    "update penstock.budget_alert set claimed_until = now()")) {
                s.execute();
            }

            next();

            assertThat(number("select max(attempts) from penstock.alerts")).isEqualTo(2);
        }
    }
}

package io.penstock.cluster.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.control.TestReplica;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StopSwitchIT {

    private TestDatabase database;
    private StopSwitch stopSwitch;

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = TestDatabase.fresh();
        TestReplica.makeRevision(database);
        stopSwitch = new StopSwitch(new Connector(database.operator()), System::nanoTime);
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void stop_twoReplicas_bothAcknowledge() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database)) {
            Lines lines = new Lines();

            StopReport report = stopSwitch.stop(order(new Scope.All()), Patience.USUAL, lines);

            assertThat(report.result()).isEqualTo(Result.CONFIRMED);
            assertThat(report.replicas())
                    .extracting(ReplicaAnswer::replica)
                    .containsExactly("a", "b");
            assertThat(report.replicas())
                    .extracting(ReplicaAnswer::kind)
                    .containsOnly(ReplicaAnswer.Kind.ACKED);
            assertThat(a.admits()).isFalse();
            assertThat(b.admits()).isFalse();
            assertThat(lines.texts).contains("recorded").anyMatch(l -> l.startsWith("a acked in "));
        }
    }

    @Test
    void stop_hundredTimes_isMeasured() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database)) {
            List<Long> micros = new ArrayList<>();
            List<Long> recorded = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                StopReport report =
                        stopSwitch.stop(
                                order(new Scope.Tenant("x" + i)), Patience.USUAL, Progress.NONE);
                assertThat(report.result()).isEqualTo(Result.CONFIRMED);
                if (i >= 100) {
                    recorded.add(report.recordedAfter().toNanos() / 1000);
                    micros.add(
                            report.replicas().stream()
                                    .mapToLong(r -> r.after().toNanos() / 1000)
                                    .max()
                                    .orElseThrow());
                }
            }
            System.out.println(
                    "order to last acknowledgement, 100 stops, 2 replicas, us: "
                            + quantiles(micros)
                            + "; recorded: "
                            + quantiles(recorded));
            assertThat(a.admits()).isTrue();
            assertThat(b.admits()).isTrue();
        }
    }

    private static String quantiles(List<Long> values) {
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        return "p50 "
                + sorted[sorted.length / 2]
                + " p90 "
                + sorted[sorted.length * 9 / 10]
                + " p99 "
                + sorted[sorted.length * 99 / 100]
                + " max "
                + Arrays.stream(sorted).max().orElseThrow();
    }

    private static StopOrder order(Scope scope) {
        return new StopOrder(
                List.of(new StopOrder.Target(UUID.randomUUID(), scope)),
                "drill",
                "tester",
                false,
                false);
    }

    private static final class Lines implements Progress {
        final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void recorded(long epoch) {
            texts.add("recorded");
        }

        @Override
        public void answered(ReplicaAnswer answer) {
            texts.add(answer.replica() + " " + answer.text());
        }

        @Override
        public void closed(int open) {
            texts.add("closed " + open);
        }
    }
}

package io.penstock.cluster.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.control.Await;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.control.TestReplica;
import io.penstock.cluster.control.Wire;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StopSwitchIT {
    private static final Resume.Order LIFT = new Resume.Order("over", "tester");
    private static final Patience LONG = new Patience(Duration.ofSeconds(30), false);

    private TestDatabase database;
    private final Lines lines = new Lines();

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = TestDatabase.fresh();
        TestReplica.makeRevision(database);
        // So long that a replica is never fenced only because the machine is busy.
        lease(10_000);
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void stop_twoReplicas_bothAcknowledge() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database)) {
            StopReport report = stop(order(new Scope.All()), LONG);

            assertThat(report.result()).isEqualTo(Result.CONFIRMED);
            assertThat(report.replicas())
                    .extracting(ReplicaAnswer::replica)
                    .containsExactly("a", "b");
            assertThat(kinds(report)).containsOnly(ReplicaAnswer.Kind.ACKED);
            assertThat(a.admits()).isFalse();
            assertThat(b.admits()).isFalse();
            assertThat(lines.texts).contains("recorded").anyMatch(l -> l.startsWith("a acked in "));
        }
    }

    @Test
    void stop_noReplica_isConfirmedAndSaysSo() {
        StopReport report = stop(order(new Scope.All()), LONG);

        assertThat(report.result()).isEqualTo(Result.CONFIRMED);
        assertThat(report.message()).isEqualTo("stopped: no replica is registered");
    }

    @Test
    void stop_replicaCutOffWithALease_isFencedAfterItEnded() throws Exception {
        try (Wire wire = new Wire(database.gateway());
                TestReplica a = new TestReplica("a", wire.through(database.gateway()))) {
            lease(1000);
            a.start();
            Await.until("opens", a::admits);
            Await.until("is listed", () -> status().replicas().size() == 1);
            wire.freeze();

            StopReport report = stop(order(new Scope.All()), LONG);

            assertThat(a.admits()).isFalse();
            assertThat(report.result()).isEqualTo(Result.CONFIRMED);
            assertThat(kinds(report)).containsExactly(ReplicaAnswer.Kind.FENCED);
            assertThat(report.replicas().getFirst().after()).isGreaterThan(Duration.ofSeconds(1));
            assertThat(lines.texts).anyMatch(l -> l.startsWith("a silent, fenced after "));
        }
    }

    @Test
    void stop_silentReplica_waitsTheLargestLeaseOnItsOwnClock() throws Exception {
        lease(1000);
        row("a", 1000);
        row("b", 10_000);
        StopSwitch impatient = new StopSwitch(connector(database.operator()), System::nanoTime);
        StopReport soon =
                impatient.stop(order(new Scope.All()), patience(Duration.ofMillis(1500)), lines);
        assertThat(soon.result()).isEqualTo(Result.NOT_CONFIRMED);
        assertThat(soon.result().exitCode()).isEqualTo(3);
        assertThat(kinds(soon)).containsOnly(ReplicaAnswer.Kind.SILENT);

        // Its own clock runs 20 times as fast: no other clock plays a part.
        StopSwitch fast =
                new StopSwitch(connector(database.operator()), () -> System.nanoTime() * 20);
        StopReport report =
                fast.stop(order(new Scope.All()), patience(Duration.ofMinutes(5)), lines);

        assertThat(report.result()).isEqualTo(Result.CONFIRMED);
        assertThat(kinds(report)).containsOnly(ReplicaAnswer.Kind.FENCED);
        assertThat(report.replicas())
                .allSatisfy(r -> assertThat(r.after()).isGreaterThan(Duration.ofSeconds(10)));
    }

    @Test
    void stop_databaseGone_isNotRecordedAndSaysWhatThatMeans() throws Exception {
        try (Wire wire = new Wire(database.operator())) {
            wire.cut();
            StopReport report =
                    new StopSwitch(connector(wire.through(database.operator())), System::nanoTime)
                            .stop(order(new Scope.All()), patience(Duration.ofMillis(300)), lines);

            assertThat(report.result()).isEqualTo(Result.NOT_RECORDED);
            assertThat(report.result().exitCode()).isEqualTo(1);
            assertThat(report.message()).contains("nothing can be admitted now");
            assertThat(lines.texts).anyMatch(l -> l.startsWith("retrying"));
        }
        assertThat(status().stops()).isEmpty();
    }

    @Test
    void stop_untilRecorded_outlastsTheDatabasesAbsence() throws Exception {
        try (Wire wire = new Wire(database.operator())) {
            wire.cut();
            StopSwitch stopSwitch =
                    new StopSwitch(connector(wire.through(database.operator())), System::nanoTime);
            List<StopReport> reports = new CopyOnWriteArrayList<>();
            Thread operator =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            reports.add(
                                                    stopSwitch.stop(
                                                            order(new Scope.All()),
                                                            new Patience(
                                                                    Duration.ofMillis(1), true),
                                                            lines)));
            Await.until("retries", () -> !lines.texts.isEmpty());

            wire.mend();

            operator.join();
            assertThat(reports.getFirst().epoch()).isPositive();
            assertThat(status().stops()).hasSize(1);
        }
    }

    @Test
    void stop_answerLost_isFoundRecordedOnce() throws Exception {
        StopOrder order = order(new Scope.All());

        StopReport first = stop(order, LONG);
        StopReport again = stop(order, LONG);

        assertThat(again.result()).isEqualTo(Result.CONFIRMED);
        assertThat(again.epoch()).isEqualTo(first.epoch());
        assertThat(status().stops()).hasSize(1);
    }

    @Test
    void stop_callsStillOpen_isClosedButNotConfirmedUntilTheyEnd() throws Exception {
        try (TestReplica a = TestReplica.open("a", database)) {
            a.openCalls(3);
            StopOrder order = order(new Scope.Tenant("acme"));
            Await.until(
                    "is closed, with calls open",
                    () -> {
                        StopReport report = stop(order, patience(Duration.ofMillis(300)));
                        assertThat(report.result()).isEqualTo(Result.NOT_CONFIRMED);
                        return report.message()
                                .equals("closed, but 3 matching calls are still open");
                    });
            assertThat(lines.texts).contains("closed 3");

            a.openCalls(0);
            StopReport later = stop(order, LONG);

            assertThat(later.result()).isEqualTo(Result.CONFIRMED);
            assertThat(later.replicas().getFirst().open()).isZero();
        }
    }

    @Test
    void stop_byAGatewaysCredential_worksAndResumeDoesNot() throws Exception {
        StopReport report =
                new StopSwitch(connector(database.gateway()), System::nanoTime)
                        .stop(order(new Scope.All()), LONG, lines);
        assertThat(report.result()).isEqualTo(Result.CONFIRMED);

        ResumeReport resumed =
                new Resume(connector(database.gateway()), System::nanoTime).all(LIFT, LONG, lines);

        assertThat(resumed.result()).isEqualTo(Result.NOT_RECORDED);
        assertThat(resumed.message()).contains("permission denied");
        assertThat(status().stops()).hasSize(1);
    }

    @Test
    void resume_all_liftsWhatItListedAndNamesWhatRemains() throws Exception {
        try (TestReplica a = TestReplica.open("a", database)) {
            stop(order(new Scope.All()), LONG);
            StopReport second = stop(order(new Scope.Tenant("acme")), LONG);

            ResumeReport report = resume().all(LIFT, LONG, lines);

            assertThat(report.result()).isEqualTo(Result.CONFIRMED);
            assertThat(report.lifted()).hasSize(2).contains(id(second));
            assertThat(report.remaining()).isEmpty();
            Await.until("admits", a::admits);
        }
    }

    @Test
    void resume_one_leavesTheOtherInForce() {
        StopReport first = stop(order(new Scope.All()), LONG);
        StopReport second = stop(order(new Scope.Tenant("acme")), LONG);

        ResumeReport report = resume().these(List.of(id(first)), LIFT, LONG, lines);

        assertThat(report.result()).isEqualTo(Result.CONFIRMED);
        assertThat(report.remaining()).extracting(ActiveStop::id).containsExactly(id(second));
    }

    @Test
    void resume_unknownId_saysSoAtOnceAndLiftsNothing() throws Exception {
        row("silent", 10_000);
        StopReport held = stop(order(new Scope.All()), patience(Duration.ofMillis(1)));
        UUID none = UUID.randomUUID();
        lines.texts.clear();

        ResumeReport report = resume().these(List.of(id(held), none), LIFT, LONG, lines);

        assertThat(report.result()).isEqualTo(Result.NOT_RECORDED);
        assertThat(report.message()).isEqualTo("no such stop: " + none + "; nothing was lifted");
        assertThat(report.replicas()).as("nobody was waited for").isEmpty();
        assertThat(lines.texts).isEmpty();
        assertThat(status().stops()).hasSize(1);
    }

    @Test
    void stop_liftedBefore_doesNotSayThatItHolds() {
        StopOrder order = order(new Scope.All());
        stop(order, LONG);
        resume().all(LIFT, LONG, lines);

        assertThat(stop(order, LONG).result()).isEqualTo(Result.NOT_RECORDED);
    }

    @Test
    void dryRun_changesNothing() throws Exception {
        row("a", 1000);

        DryRun dry = stopSwitch().dryRun(order(new Scope.All()));

        assertThat(dry.replicas()).extracting(ReplicaStatus::replica).containsExactly("a");
        assertThat(dry.holding()).isEmpty();
        assertThat(status().stops()).isEmpty();
    }

    @Test
    void stop_manyInARow_areConfirmedEach() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database)) {
            List<Long> micros = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                StopReport report = stop(order(new Scope.Tenant("t" + i)), LONG);
                assertThat(report.result()).isEqualTo(Result.CONFIRMED);
                assertThat(kinds(report)).containsOnly(ReplicaAnswer.Kind.ACKED);
                micros.add(
                        report.replicas().stream()
                                .mapToLong(r -> r.after().toNanos() / 1000)
                                .max()
                                .orElseThrow());
            }
            System.out.println(
                    "Order to last acknowledgement, 2 replicas, 50 stops, in us: "
                            + quantiles(micros));
            Await.until("a admits", a::admits);
            Await.until("b admits", b::admits);
        }
    }

    private static String quantiles(List<Long> values) {
        long[] sorted = values.stream().mapToLong(Long::longValue).sorted().toArray();
        return "p50 "
                + sorted[sorted.length / 2]
                + " p90 "
                + sorted[sorted.length * 9 / 10]
                + " max "
                + Arrays.stream(sorted).max().orElseThrow();
    }

    private StopReport stop(StopOrder order, Patience patience) {
        return stopSwitch().stop(order, patience, lines);
    }

    private StopSwitch stopSwitch() {
        return new StopSwitch(connector(database.operator()), System::nanoTime);
    }

    private Resume resume() {
        return new Resume(connector(database.operator()), System::nanoTime);
    }

    private ClusterStatus status() throws SQLException {
        return ClusterStatus.read(connector(database.operator()));
    }

    private static Connector connector(DatabaseConfig config) {
        return new Connector(config);
    }

    private static Patience patience(Duration atMost) {
        return new Patience(atMost, false);
    }

    private static UUID id(StopReport report) {
        return report.order().targets().getFirst().id();
    }

    private static List<ReplicaAnswer.Kind> kinds(StopReport report) {
        return report.replicas().stream().map(ReplicaAnswer::kind).toList();
    }

    /** A replica that beat once and was never heard of again. */
    private void row(String replica, int leaseMillis) throws SQLException {
        try (Connection c = database.connectAsGateway();
                Statement s = c.createStatement()) {
            s.execute(
                    "select penstock.beat_v1('"
                            + replica
                            + "', gen_random_uuid(), 'open', "
                            + leaseMillis
                            + ", 1, '', '', '', '', 0, null, false)");
        }
    }

    private void lease(int millis) throws SQLException {
        try (Connection c = database.connectAsOwner();
                Statement s = c.createStatement()) {
            s.execute("select penstock.adopt_revision_v1(1, 1, " + millis + ")");
        }
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
        public void retrying(String reason) {
            texts.add("retrying " + reason);
        }

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

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** What agents see while the control plane is at its busiest, and what calls ask of it: nothing. */
final class ControlOverloadIT {
    private static final int PER_SECOND = 100;

    /** A fourth; the whole of it leaves two cores nothing for calls. */
    private static final ControlStorm.Strength STRENGTH =
            Boolean.getBoolean("penstock.storm.whole")
                    ? ControlStorm.Strength.WHOLE
                    : ControlStorm.Strength.FOURTH;

    /** In the long run only: it keeps the whole machine busy, on which others may run. */
    @Test
    @EnabledIfSystemProperty(named = "penstock.full", matches = "true")
    void calls_besideAControlPlaneAtItsBusiest_areDecidedAndAStopHolds() {
        Trial.run("busy control plane", ControlOverloadIT::trial);
    }

    private static List<String> trial() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            OpenLoop.warmUp(gate.upstream());
            var storm = new AtomicReference<@Nullable ControlStorm>();
            try {
                StopIT.Course course =
                        StopIT.stopUnderLoad(
                                gate,
                                () -> {
                                    storm.set(begin(gate));
                                    Await.pause(Duration.ofSeconds(3));
                                },
                                () -> gate.operate("stop", "--agent", "acme/one", "--reason", "x"),
                                () -> {
                                    assertThat(decision(gate, Settings.KEY)).isEqualTo("stopped");
                                    Gate.awaitAdmitted(gate.port(), call(Settings.OTHER_KEY));
                                });

                assertThat(course.report()).containsPattern("(?m)^a .*(acked|fenced)");
                assertThat(course.report()).containsPattern("(?m)^b .*(acked|fenced)");
                assertThat(course.outcome().failures()).isEmpty();
                assertThat(course.outcome().count("stopped")).isPositive();
                assertThat(course.outcome().count("admitted")).isPositive();
                for (Replica replica : gate.replicas()) {
                    assertThat(live(replica, "control.Snapshot")).isBetween(1L, 50L);
                    assertThat(live(replica, "control.Stop")).isBetween(1_000L, 20_000L);
                }
                return stale(course);
            } finally {
                ControlStorm begun = storm.get();
                if (begun != null) begun.close();
            }
        }
    }

    /** A lease that was not kept, or an acknowledgement that did not come. */
    private static List<String> stale(StopIT.Course course) {
        List<String> stale = new ArrayList<>();
        long calls = course.outcome().count("control-stale");
        if (calls > 0) stale.add(calls + " calls were refused as stale");
        if (Pattern.compile("(?m)^[ab] .*fenced").matcher(course.report()).find()) {
            stale.add("a replica did not acknowledge within the lease");
        }
        return stale;
    }

    private static ControlStorm begin(Gate gate) {
        try {
            return ControlStorm.start(gate.database(), STRENGTH);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] call(String key) {
        return Requests.toolCall(key, "tools", "echo", 1);
    }

    private static String decision(Gate gate, String key) {
        return gate.decided(call(key)).decision();
    }

    /** How many objects of a class are reachable in a replica. */
    private static long live(Replica replica, String name) {
        String histogram =
                Program.run(
                        "histogram",
                        Duration.ofSeconds(30),
                        List.of(
                                System.getProperty("java.home") + "/bin/jcmd",
                                Long.toString(replica.program().pid()),
                                "GC.class_histogram"));
        var line =
                Pattern.compile(
                                "(?m)^ *\\d+: +(\\d+) +\\d+ +io\\.penstock\\.cluster\\."
                                        + Pattern.quote(name)
                                        + "( |$)")
                        .matcher(histogram);
        assertThat(line.find()).as(name).isTrue();
        return Long.parseLong(line.group(1));
    }

    /**
     * A NOTIFY in the transaction of a call would let one such commit of the whole server through
     * at a time. Nothing that calls run in the database can notify, and none is heard while they
     * run.
     */
    @Test
    void calls_neverNotify() throws SQLException {
        try (Gate gate =
                Gate.start(
                        1,
                        settings ->
                                settings.set(
                                        "budgets",
                                        Settings.budgets(List.of("all 1000000 1m tenant"))))) {
            assertThat(functionsThatNotify(gate))
                    .containsExactlyInAnyOrder("publish_blocks", "resume", "stop", "stop_and_wait");
            assertThat(
                            gate.number(
                                    "select count(*) from pg_trigger t join pg_class c on c.oid ="
                                            + " t.tgrelid where c.relnamespace ="
                                            + " 'penstock'::regnamespace and not t.tgisinternal"))
                    .isZero();
            List<PGNotification> heard;
            OpenLoop.Outcome outcome;
            try (Connection listener = listener(gate.database())) {
                outcome =
                        new OpenLoop(gate.port(), i -> call(Settings.KEY))
                                .run(PER_SECOND, Duration.ofSeconds(4));
                heard = heard(listener);
            }

            assertThat(outcome.count("admitted")).isGreaterThan(PER_SECOND);
            gate.awaitNumber(
                    "outcomes of admitted calls",
                    outcome.count("admitted"),
                    "select count(*) from penstock.journal where kind = 'outcome'");
            assertThat(heard)
                    .as("a replica's probe of itself, every few seconds, apart")
                    .allMatch(n -> n.getParameter().startsWith("probe "))
                    .hasSizeLessThan(5);
        }
    }

    private static List<String> functionsThatNotify(Gate gate) {
        return gate
                .rows(
                        "select proname from pg_proc where pronamespace = 'penstock'::regnamespace"
                                + " and prosrc ~* 'notify'")
                .stream()
                .map(List::getFirst)
                .toList();
    }

    private static Connection listener(TestDatabase database) throws SQLException {
        Connection listener = database.connectAsSuperuser();
        try (Statement s = listener.createStatement()) {
            s.execute("listen penstock_control");
        }
        return listener;
    }

    private static List<PGNotification> heard(Connection listener) throws SQLException {
        List<PGNotification> all = new ArrayList<>();
        PGNotification[] some = listener.unwrap(PGConnection.class).getNotifications(200);
        while (some != null && some.length > 0) {
            all.addAll(List.of(some));
            some = listener.unwrap(PGConnection.class).getNotifications(200);
        }
        return all;
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stop under load while something else goes wrong: no call arrives at the upstream after it is
 * confirmed, and the report says of each replica what happened to it.
 */
final class StopTroubleIT {
    private static final Path PSQL = Path.of("/usr/lib/postgresql/15/bin/psql");

    /** Longer than a lease, which is a second. */
    private static final Duration FROZEN = Duration.ofMillis(1_500);

    /** Once; twenty times in the long run. */
    static IntStream trials() {
        return IntStream.rangeClosed(1, Depth.of("penstock.trials", 1, 20));
    }

    private static String stop(Gate gate) {
        return gate.operate("stop", "--all", "--reason", "drill");
    }

    /** What a machine or a load balancer may make of single calls is not what this is about. */
    private static List<String> late(StopIT.Course course) {
        return course.violations().stream()
                .filter(v -> v.contains("after the confirmed stop") || v.contains("twice"))
                .toList();
    }

    private static byte[] call() {
        return Requests.toolCall(Settings.KEY, "tools", "echo", 1);
    }

    @ParameterizedTest
    @MethodSource("trials")
    void stop_oneReplicaIsCutOffFromPostgres_isConfirmedByItsLease(int trial) {
        TestDatabase database = TestDatabase.fresh();
        URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
        try (Tap tap = Tap.to(url.getHost(), url.getPort(), Tap.State.OPEN);
                Gate gate = Gate.on(database, settings -> settings)) {
            gate.add("a").launch();
            Settings through =
                    gate.settings()
                            .copy()
                            .database(Settings.through(database.gateway(), tap.port()));
            gate.add(Replica.of("b", through)).launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> tap.turn(Tap.State.FROZEN),
                            () -> stop(gate),
                            () ->
                                    assertThat(Gate.call(gate.replica(1).port(), call()).decision())
                                            .isIn("control-stale", "ledger-unavailable"));

            assertThat(course.report()).containsPattern("(?m)^a +acked");
            assertThat(course.report()).containsPattern("(?m)^b .*fenced");
            assertThat(late(course)).isEmpty();
            tap.turn(Tap.State.OPEN);
            Await.until(
                    "b has read the stop",
                    () -> Gate.call(gate.replica(1).port(), call()).decision().equals("stopped"));
        }
    }

    @ParameterizedTest
    @MethodSource("trials")
    void stop_oneReplicaIsFrozenAndThawedUnderLoad_sendsNothing(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            Replica frozen = gate.replica(1);

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> {
                                frozen.program().signal("STOP");
                                Await.pause(FROZEN);
                            },
                            () -> stop(gate),
                            () -> frozen.program().signal("CONT"));

            assertThat(course.report()).containsPattern("(?m)^a +acked");
            assertThat(course.report()).containsPattern("(?m)^b .*fenced");
            assertThat(late(course)).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("trials")
    void stop_whileAReplicaBoots_isReadBeforeItOpens(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> {
                                gate.replica(1).kill();
                                gate.replica(1).launch();
                            },
                            () -> stop(gate),
                            () -> gate.replica(1).awaitReady());

            assertThat(late(course)).isEmpty();
            Await.until(
                    "b has opened, and refuses",
                    () -> Gate.call(gate.replica(1).port(), call()).decision().equals("stopped"));
        }
    }

    static boolean psql() {
        return Files.isExecutable(PSQL);
    }

    @ParameterizedTest
    @MethodSource("trials")
    @EnabledIf("psql")
    void stop_fromPsql_isConfirmedLikeAnyOther(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> {},
                            () -> psql(gate, "call penstock.stop_and_wait('all', null, 'drill')"),
                            () -> {});

            assertThat(course.report()).contains("acked");
            assertThat(course.outcome().failures()).isEmpty();
            assertThat(late(course)).isEmpty();
            assertThat(gate.rows("select reason from penstock.stops"))
                    .containsExactly(List.of("drill"));
        }
    }

    private static String psql(Gate gate, String sql) {
        var login = gate.database().operator();
        URI url = URI.create(login.url().substring("jdbc:".length()));
        try (Program psql =
                Program.start(
                        "psql",
                        List.of(
                                PSQL.toString(),
                                "-h",
                                url.getHost(),
                                "-p",
                                String.valueOf(url.getPort()),
                                "-U",
                                login.user(),
                                "-d",
                                url.getPath().substring(1),
                                "-v",
                                "ON_ERROR_STOP=1",
                                "-c",
                                sql),
                        java.util.Map.of("PGPASSWORD", Objects.requireNonNull(login.password())))) {
            assertThat(psql.awaitExit(Await.LONG)).hasValue(0);
            return psql.output();
        }
    }

    /** Both give and lift at the same time; what is left at the end is one stop, and it holds. */
    @ParameterizedTest
    @MethodSource("trials")
    void twoOperators_giveAndLiftAtOnce_noStopIsLiftedWithAnother(int trial)
            throws InterruptedException {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            gate.operate("stop", "--tenant", "acme", "--reason", "stays");
            List<Thread> operators = new ArrayList<>();
            List<String> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
            for (String agent : List.of("globex/x", "globex/y")) {
                operators.add(
                        Thread.ofPlatform()
                                .start(
                                        () -> {
                                            for (int i = 0; i < 3; i++) {
                                                String given =
                                                        gate.operate(
                                                                "stop",
                                                                "--agent",
                                                                agent,
                                                                "--reason",
                                                                "drill");
                                                String id = given.substring(5, 41);
                                                String lifted =
                                                        gate.operate(
                                                                "resume", id, "--reason", "over");
                                                if (!lifted.contains("lifted " + id)) {
                                                    wrong.add(lifted);
                                                }
                                                if (!Gate.call(gate.port(), call())
                                                        .decision()
                                                        .equals("stopped")) {
                                                    wrong.add("the tenant's stop was lifted");
                                                }
                                            }
                                        }));
            }
            for (Thread operator : operators) operator.join();

            assertThat(wrong).isEmpty();
            assertThat(gate.rows("select reason from penstock.stops"))
                    .containsExactly(List.of("stays"));
        }
    }

    @Test
    void stop_ofATool_leavesAllOthersUntouched() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            gate.operate("stop", "--tool", "tools/slow", "--reason", "drill");

            for (int i = 0; i < 20; i++) {
                assertThat(
                                gate.decided(Requests.toolCall(Settings.KEY, "tools", "slow", i))
                                        .decision())
                        .isEqualTo("stopped");
                assertThat(gate.decided(call()).decision()).isEqualTo("admitted");
            }
        }
    }

    @Test
    void stop_manyOpenStreams_areAllCut() throws IOException {
        int count = 200;
        try (Gate gate = Gate.start(1, settings -> settings)) {
            List<Wire> streams = new ArrayList<>();
            try {
                for (int i = 0; i < count; i++) {
                    streams.add(StopIT.endless(gate.replica(0).port(), Settings.KEY, i));
                }

                String report = stop(gate);
                long confirmed = System.nanoTime();

                assertThat(report).contains("acked");
                for (Wire stream : streams) {
                    assertThat(StopIT.untilTheEnd(stream)).contains("-33003");
                }
                System.out.printf(
                        "%d streams ended within %d ms of the confirmation%n",
                        count, (System.nanoTime() - confirmed) / 1_000_000);
            } finally {
                streams.forEach(Wire::close);
            }
        }
    }
}

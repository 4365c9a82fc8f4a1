package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.testing.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A stop under load while something else goes wrong: no call arrives at the upstream after it is
 * confirmed, and the report says of each replica what happened to it.
 */
final class StopTroubleIT {
    /** Longer than a lease, which is a second. */
    private static final Duration FROZEN = Duration.ofMillis(1_500);

    /** Once; twenty times in the long run. */
    static IntStream trials() {
        return IntStream.rangeClosed(1, Depth.of("penstock.trials", 1, 20));
    }

    private static String stop(Gate gate) {
        return gate.operate("stop", "--all", "--reason", "drill");
    }

    /**
     * What speaks against the stop, or against the trial. What a machine or a load balancer may
     * make of single calls is not what this is about.
     */
    static List<String> late(StopIT.Course course) {
        return course.violations().stream()
                .filter(
                        v ->
                                v.contains("after the confirmed stop")
                                        || v.contains("twice")
                                        || v.contains("were offered"))
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
                Gate gate = cutOff(database, tap)) {
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

    /**
     * Frozen in the moment of the order, with sends under way. Who stands still between his check
     * and his write can write late, and only the upstream can refuse that; all else must not be.
     */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_oneReplicaIsFrozenJustAfterTheOrder_sendsNothingThatItsUpstreamMustTake(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            Replica frozen = gate.replica(1);

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> {},
                            () -> {
                                Program operator =
                                        gate.operator("stop", "--all", "--reason", "drill");
                                while (gate.number("select count(*) from penstock.stop") == 0) {
                                    Thread.onSpinWait();
                                }
                                frozen.program().signal("STOP");
                                return Gate.ended(0, operator);
                            },
                            () -> {
                                Await.pause(FROZEN);
                                frozen.program().signal("CONT");
                            });

            assertThat(course.report()).containsPattern("(?m)^a +acked");
            // It may have been quicker than the signal: then nothing of it may come late either.
            assertThat(course.report()).containsPattern("(?m)^b .*(acked|fenced)");
            boolean fenced = course.report().matches("(?s).*\\nb [^\\n]*fenced.*");
            assertThat(late(course)).allMatch(v -> fenced && v.endsWith(StopJudge.REFUSABLE));
        }
    }

    /** A test that cannot fail proves nothing: a lease that is not kept must be seen. */
    @Test
    void stop_replicaThatTrustsLongerThanItsLease_isFound() {
        TestDatabase database = TestDatabase.fresh();
        URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
        try (Tap tap = Tap.to(url.getHost(), url.getPort(), Tap.State.OPEN);
                Gate gate = cutOff(database, tap)) {
            Breakage.LEASE_WITHOUT_END.apply(gate);
            Await.pause(Duration.ofSeconds(1));

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate, () -> tap.turn(Tap.State.FROZEN), () -> stop(gate), () -> {});

            assertThat(late(course)).anyMatch(v -> v.contains("after the confirmed stop"));
        }
    }

    /** Two replicas, of which the second has its database through the tap. */
    private static Gate cutOff(TestDatabase database, Tap tap) {
        Gate gate = Gate.on(database, settings -> settings);
        gate.add("a").launch();
        Settings through =
                gate.settings().copy().database(Settings.through(database.gateway(), tap.port()));
        gate.add(Replica.of("b", through)).launch();
        gate.replicas().forEach(Replica::awaitAdmitting);
        gate.balance();
        return gate;
    }
}

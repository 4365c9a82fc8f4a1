package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.StandbyPair;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A stop while its database restarts, crashes, fails over, or keeps every admission waiting. */
final class StopDatabaseIT {
    @TempDir Path folder;

    /** By a crash, once; by crashes and in order in turn, twenty times, in the long run. */
    static Stream<Arguments> endings() {
        return trials().map(trial -> Arguments.of(trial % 2 == 1, trial));
    }

    static Stream<Integer> trials() {
        return Stream.iterate(1, trial -> trial + 1).limit(Depth.of("penstock.trials", 1, 20));
    }

    /** The order is recorded; before a replica has heard of it Postgres is gone, and comes back. */
    @ParameterizedTest
    @MethodSource("endings")
    void stop_postgresRestartsBetweenOrderAndAcknowledgement_isConfirmed(boolean crash, int trial) {
        EmbeddedPostgres first = EmbeddedPostgres.start(EmbeddedOptions.in(folder));
        TestDatabase database = new TestServer(first.owner()).fresh();
        URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
        EmbeddedPostgres running = first;
        try (Tap tap = Tap.to(url.getHost(), url.getPort(), Tap.State.OPEN);
                Gate gate =
                        Gate.on(
                                database,
                                settings ->
                                        settings.database(
                                                Settings.through(
                                                        database.gateway(), tap.port())))) {
            gate.add("a").launch();
            gate.add("b").launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();
            var second = new EmbeddedPostgres[] {first};

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> tap.turn(Tap.State.FROZEN),
                            () -> {
                                Program operator =
                                        gate.operator("stop", "--all", "--reason", "drill");
                                Await.until(
                                        "the order is recorded",
                                        () ->
                                                gate.number("select count(*) from penstock.stop")
                                                        == 1);
                                if (crash) first.crash();
                                else first.close();
                                second[0] =
                                        EmbeddedPostgres.start(
                                                EmbeddedOptions.in(folder).onPort(first.port()));
                                tap.turn(Tap.State.OPEN);
                                return Gate.ended(0, operator);
                            },
                            () -> {});
            running = second[0];

            assertThat(course.report()).containsPattern("(?m)^a .*(acked|fenced)");
            assertThat(course.report()).containsPattern("(?m)^b .*(acked|fenced)");
            assertThat(StopTroubleIT.late(course)).isEmpty();
            Await.until(
                    "both have read the stop",
                    () ->
                            gate.replicas().stream()
                                    .allMatch(
                                            replica ->
                                                    Gate.call(replica.port(), call())
                                                            .decision()
                                                            .equals("stopped")));
        } finally {
            running.close();
        }
    }

    private static byte[] call() {
        return Requests.toolCall(Settings.KEY, "tools", "echo", 1);
    }

    /** The primary dies just after the stop was confirmed, and its standby takes over. */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_failoverToTheSynchronousStandby_theConfirmedStopHolds(int trial) {
        try (StandbyPair pair = StandbyPair.start(folder, url -> url);
                Gate gate =
                        Gate.on(
                                pair.database(),
                                settings ->
                                        settings.database(
                                                pair.either(pair.database().gateway())))) {
            gate.add("a").launch();
            gate.add("b").launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.balance();

            StopIT.Course course =
                    StopIT.stopUnderLoad(
                            gate,
                            () -> {},
                            () -> gate.operate("stop", "--all", "--reason", "drill"),
                            () -> {
                                pair.crashPrimary();
                                pair.promote();
                                awaitBeatsOn(pair, System.currentTimeMillis());
                            });

            assertThat(StopIT.acked(course.report())).containsExactly("a", "b");
            assertThat(StopTroubleIT.late(course)).isEmpty();
            for (Replica replica : gate.replicas()) {
                Await.until(
                        "the stop holds by the new primary",
                        () -> Gate.call(replica.port(), call()).decision().equals("stopped"));
            }
        }
    }

    /** Waits until both replicas beat on the promoted server, where the stop is. */
    private static void awaitBeatsOn(StandbyPair pair, long sinceMillis) {
        Await.until(
                "both replicas are at the new primary",
                Duration.ofSeconds(30),
                () -> {
                    try (Connection connection = pair.onStandby().connectAsSuperuser();
                            Statement statement = connection.createStatement();
                            ResultSet row =
                                    statement.executeQuery(
                                            "select count(*) from penstock.replica, penstock.stop"
                                                    + " where lifted_at is null and beat_at >"
                                                    + " to_timestamp("
                                                    + sinceMillis / 1000.0
                                                    + ")")) {
                        return row.next() && row.getInt(1) == 2;
                    } catch (SQLException e) {
                        return false;
                    }
                });
    }

    /** A stranger locks the counters: calls wait, the queue fills, and the stop goes past it. */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_whileTheAdmissionQueueIsFull_isConfirmedAndNothingIsSent(int trial) {
        try (Gate gate =
                Gate.start(
                        2,
                        settings ->
                                settings.set("admission", "{ queue: 20, deadline: 5s, lanes: 1 }")
                                        .set(
                                                "budgets",
                                                Settings.budgets(List.of("all 1000000 1h"))))) {
            Gate.awaitAdmitted(gate.port(), call());
            var enough = new AtomicBoolean();
            Thread stranger = Thread.ofPlatform().start(() -> lockCounters(gate, enough));
            try {
                StopIT.Course course =
                        StopIT.stopUnderLoad(
                                gate,
                                () -> awaitFull(gate),
                                () -> gate.operate("stop", "--all", "--reason", "drill"),
                                () -> {});

                assertThat(course.outcome().sent())
                        .anyMatch(sent -> sent.decision().equals("overloaded"));
                assertThat(StopIT.acked(course.report())).containsExactly("a", "b");
                assertThat(StopTroubleIT.late(course)).isEmpty();
            } finally {
                enough.set(true);
                join(stranger);
            }
        }
    }

    private static void awaitFull(Gate gate) {
        // The load itself is what fills it; a call of ours is one of those that find no place.
        Await.until(
                "the queue is full",
                () -> Gate.call(gate.port(), call()).decision().equals("overloaded"));
    }

    /** Holds each counter's row until it is enough. */
    private static void lockCounters(Gate gate, AtomicBoolean enough) {
        try (Connection connection = gate.database().connectAsSuperuser();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("lock table penstock.counter in exclusive mode");
            while (!enough.get()) Await.pause(Duration.ofMillis(20));
            connection.rollback();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stops given in other ways than one operator's of everything, and what they leave alone. */
final class StopScopesIT {
    private static final Path PSQL = Path.of("/usr/lib/postgresql/15/bin/psql");
    private static final int STREAMS = 1_000;

    /**
     * Far more than the gateway needs, whose figure is printed: the streams' clients and their
     * upstream are in this process, on the same cores. Waiting for anything would take longer.
     */
    private static final long CUT_MILLIS_MAX = 400;

    /** Once; twenty times in the long run. */
    static IntStream trials() {
        return IntStream.rangeClosed(1, Depth.of("penstock.trials", 1, 20));
    }

    private static byte[] call() {
        return Requests.toolCall(Settings.KEY, "tools", "echo", 1);
    }

    @ParameterizedTest
    @MethodSource("trials")
    void stop_fromPsql_isConfirmedLikeAnyOther(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            StopIT.Course course = StopIT.stopUnderLoad(gate, () -> {}, () -> psql(gate), () -> {});

            assertThat(StopIT.acked(course.report())).containsExactly("a", "b");
            assertThat(course.outcome().failures()).isEmpty();
            assertThat(StopTroubleIT.late(course)).isEmpty();
            assertThat(gate.rows("select reason from penstock.stops"))
                    .containsExactly(List.of("drill"));
        }
    }

    /** The same without its notification: replicas read the state by themselves. */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_whoseNotificationIsLost_isConfirmedByThePoll(int trial) {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            Breakage.NOTIFY_LOST.apply(gate);

            StopIT.Course course = StopIT.stopUnderLoad(gate, () -> {}, () -> psql(gate), () -> {});

            assertThat(StopIT.acked(course.report())).containsExactly("a", "b");
            assertThat(StopTroubleIT.late(course)).isEmpty();
        }
    }

    private static String psql(Gate gate) {
        var login = gate.database().operator();
        URI url = URI.create(login.url().substring("jdbc:".length()));
        try (Program psql =
                Program.start(
                        "psql",
                        List.of(
                                Tools.require("postgresql-client-15", List.of(PSQL)),
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
                                "call penstock.stop_and_wait('all', null, 'drill')"),
                        Map.of("PGPASSWORD", Objects.requireNonNull(login.password())))) {
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
            gate.upstream().forget();
            var enough = new AtomicBoolean();
            Load load =
                    Load.start(
                            () ->
                                    new OpenLoop(gate.port(), i -> call())
                                            .run(200, Duration.ofMinutes(2), enough::get));
            List<String> wrong = Collections.synchronizedList(new ArrayList<>());
            List<Thread> operators = new ArrayList<>();
            for (String agent : List.of("globex/x", "globex/y")) {
                operators.add(Thread.ofPlatform().start(() -> giveAndLift(gate, agent, wrong)));
            }
            for (Thread operator : operators) operator.join();
            enough.set(true);

            assertThat(load.outcome().sent())
                    .hasSizeGreaterThan(100)
                    .allMatch(sent -> sent.decision().equals("stopped") || sent.undecided());
            assertThat(gate.upstream().arrivals()).isEmpty();
            assertThat(wrong).isEmpty();
            assertThat(gate.rows("select reason from penstock.stops"))
                    .containsExactly(List.of("stays"));
        }
    }

    private static void giveAndLift(Gate gate, String agent, List<String> wrong) {
        for (int i = 0; i < 3; i++) {
            String given = gate.operate("stop", "--agent", agent, "--reason", "drill");
            String id = given.substring(5, 41);
            String lifted = gate.operate("resume", id, "--reason", "over");
            if (!lifted.contains("lifted " + id)) wrong.add(lifted);
        }
    }

    /** Half of the load calls the tool that is stopped, half does not. */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_ofATool_leavesAllOthersUntouched(int trial) {
        Trial.run("stop of a tool", StopScopesIT::toolTrial);
    }

    private static List<String> toolTrial() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            OpenLoop.warmUp(gate.upstream());
            var enough = new AtomicBoolean();
            Load stopped = load(gate, enough, i -> call());
            Load others =
                    load(
                            gate,
                            enough,
                            i -> Requests.http(Settings.KEY, "GET", "/http/api/users/" + i, ""));
            Await.until("the load runs", () -> gate.upstream().count() > 100);

            gate.operate("stop", "--tool", "tools/echo", "--reason", "drill");
            long confirmed = System.nanoTime();
            Await.pause(Duration.ofSeconds(1));
            enough.set(true);

            OpenLoop.Outcome untouched = others.outcome();
            System.out.println("beside the stop of a tool: " + untouched.line("admitted"));
            assertThat(untouched.failures()).isEmpty();
            assertThat(untouched.sent())
                    .allMatch(sent -> sent.decision().equals("admitted") || sent.undecided());
            assertThat(untouched.sent().stream().filter(s -> s.departed() > confirmed).count())
                    .isGreaterThan(50);
            assertThat(stopped.outcome().sent())
                    .filteredOn(sent -> sent.departed() > confirmed)
                    .hasSizeGreaterThan(50)
                    .allMatch(sent -> sent.decision().equals("stopped"));
            assertThat(gate.upstream().arrivals())
                    .filteredOn(arrival -> arrival.atNanos() > confirmed)
                    .isNotEmpty()
                    .allMatch(arrival -> arrival.target().startsWith("/base/"));
            return Trial.undecided(untouched.sent());
        }
    }

    private static Load load(
            Gate gate, AtomicBoolean enough, java.util.function.IntFunction<byte[]> request) {
        return Load.start(
                () ->
                        new OpenLoop(gate.port(), request)
                                .run(150, Duration.ofSeconds(60), enough::get));
    }

    /** From the stop's commit to the end of the last stream at its client. */
    @ParameterizedTest
    @MethodSource("trials")
    void stop_manyOpenStreams_areAllCutAtOnce(int trial) {
        Trial.run("stop of open streams", StopScopesIT::streamsTrial);
    }

    private static List<String> streamsTrial() {
        try (Gate gate = Gate.start(1, settings -> settings)) {
            List<Wire> streams = new ArrayList<>();
            try {
                for (int i = 0; i < STREAMS; i++) {
                    streams.add(StopIT.stream(gate.replica(0).port(), Settings.KEY, "calm", i));
                }
                var last = new AtomicLong();
                List<String> wrong = Collections.synchronizedList(new ArrayList<>());
                List<Thread> readers =
                        streams.stream()
                                .map(
                                        wire ->
                                                Thread.ofVirtual()
                                                        .start(() -> follow(wire, last, wrong)))
                                .toList();

                String report = gate.operate("stop", "--all", "--reason", "drill");
                for (Thread reader : readers) reader.join();

                assertThat(report).contains("acked");
                assertThat(wrong).isEmpty();
                long committed =
                        gate.number(
                                "select (extract(epoch from max(given_at)) * 1000)::bigint"
                                        + " from penstock.stop");
                long millis = last.get() - committed;
                System.out.printf(
                        "%d streams, from the stop to the end of the last: %d ms%n",
                        STREAMS, millis);
                return millis < CUT_MILLIS_MAX
                        ? List.of()
                        : List.of("the last stream ended after " + millis + " ms");
            } catch (IOException e) {
                throw new AssertionError("no stream begins", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            } finally {
                streams.forEach(Wire::close);
            }
        }
    }

    private static void follow(Wire stream, AtomicLong last, List<String> wrong) {
        try {
            String rest = StopIT.untilTheEnd(stream);
            last.accumulateAndGet(System.currentTimeMillis(), Math::max);
            if (!rest.contains("-33003")) wrong.add("a stream ended with " + rest);
        } catch (IOException e) {
            wrong.add("a stream broke: " + e);
        }
    }
}

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Depth;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * After a confirmed stop no call reaches the upstream, over both replicas, until somebody lifts it.
 */
final class StopIT {
    private static final int PER_SECOND = 300;

    /** In the words of the command, and of psql. */
    private static final Pattern ACKED = Pattern.compile("(?m)^(?:NOTICE: +)?(\\w+):? +acked ");

    @Test
    void stop_underLoad_nothingArrivesAfterItIsConfirmed() {
        for (int i = 0; i < Depth.of("penstock.trials", 1, 20); i++) {
            Trial.run("stop under load", StopIT::trial);
        }
    }

    private static List<String> trial() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            Course course = stopUnderLoad(gate);

            assertThat(course.report()).contains("acked");
            assertThat(course.outcome().failures()).isEmpty();
            assertThat(course.violations()).isEmpty();
            resumes(gate);
            return Trial.undecided(course.outcome().sent());
        }
    }

    /** A test that cannot fail proves nothing: a stop that nobody obeys must be seen. */
    @Test
    void stop_replicasThatConfirmAndDoNotObey_areFound() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            Breakage.STOP_WITHOUT_EFFECT.apply(gate);

            assertThat(stopUnderLoad(gate).violations())
                    .anyMatch(v -> v.contains("after the confirmed stop"));
        }
    }

    /** The replicas of which a report says that they have acknowledged; one may say so twice. */
    static Set<String> acked(String report) {
        Set<String> names = new TreeSet<>();
        Matcher line = ACKED.matcher(report);
        while (line.find()) names.add(line.group(1));
        return names;
    }

    record Course(String report, OpenLoop.Outcome outcome, List<String> violations) {}

    private static Course stopUnderLoad(Gate gate) {
        return stopUnderLoad(
                gate, () -> {}, () -> gate.operate("stop", "--all", "--reason", "drill"), () -> {});
    }

    /**
     * A stop of everything in the middle of a load.
     *
     * @param before what goes wrong before the order
     * @param stop gives the order; what it prints when it is confirmed
     * @param after what happens then, while the load goes on for another second
     */
    static Course stopUnderLoad(Gate gate, Runnable before, Supplier<String> stop, Runnable after) {
        OpenLoop.warmUp(gate.upstream());
        var enough = new AtomicBoolean();
        Load load =
                Load.start(
                        () ->
                                new OpenLoop(gate.port(), StopIT::request)
                                        .run(PER_SECOND, Duration.ofSeconds(30), enough::get));
        Await.until("the load runs", () -> gate.upstream().count() > 100);

        before.run();
        long ordered = System.nanoTime();
        String report = stop.get();
        long confirmed = System.nanoTime();
        after.run();
        Await.pause(Duration.ofSeconds(1));
        enough.set(true);
        OpenLoop.Outcome outcome = load.outcome();

        System.out.println(
                "stop under " + PER_SECOND + " calls/s:\n" + report.indent(2).stripTrailing());
        outcome.micros().keySet().forEach(key -> System.out.println("  " + outcome.line(key)));
        List<StopJudge.Arrived> arrivals =
                gate.upstream().arrivals().stream()
                        .map(
                                a ->
                                        new StopJudge.Arrived(
                                                a.call().toString(), a.atNanos(), a.refusable()))
                        .toList();
        return new Course(
                report,
                outcome,
                StopJudge.violations(
                        new StopJudge.History(ordered, confirmed, outcome.sent(), arrivals)));
    }

    private static byte[] request(int i) {
        return switch (i % 3) {
            case 0 -> Requests.toolCall(Settings.KEY, "tools", "echo", i);
            case 1 -> Requests.http(Settings.OTHER_KEY, "GET", "/http/api/users/" + i, "");
            // Not counted: nothing but stop and lease stands in its way.
            default -> Requests.toolCall(Settings.KEY, "free", "echo", i);
        };
    }

    private static void resumes(Gate gate) {
        gate.operate("resume", "--all", "--reason", "drill over");
        for (int i = 0; i < 10; i++) {
            Gate.awaitAdmitted(gate.port(), request(i));
        }
    }

    @Test
    void stop_openStream_endsWithTheRefusal() throws IOException {
        try (Gate gate = Gate.start(2, settings -> settings);
                Wire stream = endless(gate.replica(0).port(), Settings.KEY, 7);
                Wire other = endless(gate.replica(0).port(), Settings.OTHER_KEY, 8)) {
            String report = gate.operate("stop", "--agent", "acme/one", "--reason", "drill");

            assertThat(report).contains("acked");
            String rest = untilTheEnd(stream);
            assertThat(rest).contains("\"id\":7").contains("-33003");
            assertThat(text(other.chunk())).contains("notifications/progress");
            awaitOutcome(gate, "one", "cut");
            assertThat(gate.call(Requests.toolCall(Settings.KEY, "tools", "echo", 1)).decision())
                    .isEqualTo("stopped");
            Gate.awaitAdmitted(
                    gate.port(), Requests.toolCall(Settings.OTHER_KEY, "tools", "echo", 1));
        }
    }

    /** A stream that has begun; a busy machine may need more than one try. */
    static Wire endless(int port, String key, int id) throws IOException {
        return stream(port, key, "endless", id);
    }

    /** The same of any tool that streams. */
    static Wire stream(int port, String key, String tool, int id) throws IOException {
        for (int i = 0; i < 20; i++) {
            Wire wire = Wire.open(port);
            wire.send(Requests.toolCall(key, "tools", tool, id));
            Wire.Answer head = wire.head();
            if (head.decision().equals("admitted")) {
                assertThat(head.header("Content-Type").orElse("")).startsWith("text/event-stream");
                assertThat(wire.chunk()).isNotEmpty();
                return wire;
            }
            wire.close();
            Await.pause(Duration.ofMillis(200));
        }
        throw new AssertionError("no stream begins");
    }

    static String untilTheEnd(Wire stream) throws IOException {
        var rest = new StringBuilder();
        for (byte[] chunk = stream.chunk(); chunk.length > 0; chunk = stream.chunk())
            rest.append(text(chunk));
        return rest.toString();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void awaitOutcome(Gate gate, String agent, String outcome) {
        gate.awaitNumber(
                "calls of " + agent + " with the outcome " + outcome,
                1,
                "select count(*) from penstock.journal o join penstock.journal i using (call)"
                        + " where o.kind = 'outcome' and i.kind = 'intent' and i.agent = '"
                        + agent
                        + "' and o.outcome = '"
                        + outcome
                        + "'");
    }

    @Test
    void stop_replicaThatIsGone_isConfirmedByItsLease() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            gate.replica(1).kill();

            String report = gate.operate("stop", "--all", "--reason", "drill");

            assertThat(report).contains("acked").contains("fenced");
            List<List<String>> stops = gate.rows("select count(*) from penstock.stop");
            assertThat(stops).isNotEmpty();
        }
    }

    @Test
    void stop_survivesARestartOfEveryReplica() {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            gate.operate("stop", "--server", "tools", "--reason", "drill");
            gate.replicas().forEach(Replica::kill);
            gate.replicas().forEach(Replica::launch);
            gate.replicas().forEach(Replica::awaitAdmitting);

            for (Replica replica : gate.replicas()) {
                assertThat(
                                Gate.call(
                                                replica.port(),
                                                Requests.toolCall(Settings.KEY, "tools", "echo", 1))
                                        .decision())
                        .isEqualTo("stopped");
                Gate.awaitAdmitted(
                        replica.port(),
                        Requests.http(Settings.KEY, "GET", "/http/api/users/1", ""));
            }
        }
    }
}

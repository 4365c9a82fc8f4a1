package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * After a confirmed stop no call reaches the upstream, over both replicas, until somebody lifts it.
 */
final class StopIT {
    private static final int PER_SECOND = 300;

    @Test
    void stop_underLoad_nothingArrivesAfterItIsConfirmed() throws Exception {
        try (Gate gate = Gate.start(2, settings -> settings)) {
            AtomicReference<OpenLoop.Outcome> outcome = new AtomicReference<>();
            Thread load =
                    Thread.ofPlatform()
                            .start(
                                    () ->
                                            outcome.set(
                                                    new OpenLoop(gate.port(), StopIT::request)
                                                            .run(
                                                                    PER_SECOND,
                                                                    Duration.ofSeconds(8))));
            Await.until("the load runs", () -> gate.upstream().count() > 100);

            String report = gate.operate("stop", "--all", "--reason", "drill");
            long confirmed = System.nanoTime();
            System.out.println(
                    "stop under " + PER_SECOND + " calls/s:\n" + report.indent(2).stripTrailing());
            load.join();

            assertThat(report).contains("acked");
            assertThat(gate.upstream().arrivals())
                    .filteredOn(arrival -> arrival.atNanos() > confirmed)
                    .as("arrivals after the confirmed stop")
                    .isEmpty();
            assertThat(outcome.get().failures()).isEmpty();
            assertThat(outcome.get().micros()).containsOnlyKeys("admitted", "stopped");
            assertThat(outcome.get().count("stopped")).isPositive();
            assertThat(outcome.get().count("admitted")).isEqualTo(gate.upstream().count());
            resumes(gate);
        }
    }

    private static byte[] request(int i) {
        return i % 2 == 0
                ? Requests.toolCall(Settings.KEY, "tools", "echo", i)
                : Requests.http(Settings.OTHER_KEY, "GET", "/http/api/users/" + i, "");
    }

    private static void resumes(Gate gate) {
        gate.operate("resume", "--all", "--reason", "drill over");
        for (int i = 0; i < 10; i++) {
            assertThat(gate.call(request(i)).decision()).isEqualTo("admitted");
        }
    }

    @Test
    void stop_openStream_endsWithTheRefusal() throws IOException {
        try (Gate gate = Gate.start(2, settings -> settings);
                Wire stream = Wire.open(gate.replica(0).port());
                Wire other = Wire.open(gate.replica(0).port())) {
            stream.send(Requests.toolCall(Settings.KEY, "tools", "endless", 7));
            other.send(Requests.toolCall(Settings.OTHER_KEY, "tools", "endless", 8));
            assertThat(stream.head().header("Content-Type").orElse(""))
                    .startsWith("text/event-stream");
            assertThat(other.head().status()).isEqualTo(200);
            assertThat(stream.chunk()).isNotEmpty();

            String report = gate.operate("stop", "--agent", "acme/one", "--reason", "drill");

            assertThat(report).contains("acked");
            String rest = untilTheEnd(stream);
            assertThat(rest).contains("\"id\":7").contains("-33003");
            assertThat(text(other.chunk())).contains("notifications/progress");
            assertThat(outcomeOfAgent(gate, "one")).isEqualTo("cut");
            assertThat(gate.call(Requests.toolCall(Settings.KEY, "tools", "echo", 1)).decision())
                    .isEqualTo("stopped");
            assertThat(
                            gate.call(Requests.toolCall(Settings.OTHER_KEY, "tools", "echo", 1))
                                    .decision())
                    .isEqualTo("admitted");
        }
    }

    private static String untilTheEnd(Wire stream) throws IOException {
        var rest = new StringBuilder();
        for (byte[] chunk = stream.chunk(); chunk.length > 0; chunk = stream.chunk())
            rest.append(text(chunk));
        return rest.toString();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String outcomeOfAgent(Gate gate, String agent) {
        String sql =
                "select outcome from penstock.journal where kind = 'outcome' and agent = '"
                        + agent
                        + "'";
        Await.until("the outcome is in the journal", () -> !gate.rows(sql).isEmpty());
        return gate.rows(sql).getFirst().getFirst();
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
                assertThat(
                                Gate.call(
                                                replica.port(),
                                                Requests.http(
                                                        Settings.KEY,
                                                        "GET",
                                                        "/http/api/users/1",
                                                        ""))
                                        .decision())
                        .isEqualTo("admitted");
            }
        }
    }
}

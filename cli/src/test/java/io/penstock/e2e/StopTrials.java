package io.penstock.e2e;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.cluster.operator.Resume;
import io.penstock.cluster.operator.ResumeReport;
import io.penstock.cluster.operator.StopReport;
import io.penstock.cluster.operator.StopSwitch;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives stops and lifts them, one after the other, with the very classes of the command, in a
 * process of its own with the command's flags: what it measures is neither the start of a JVM nor
 * the load generator's garbage. Times are of the monotonic clock, which all processes of a machine
 * share.
 */
final class StopTrials {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final StopSwitch stop;
    private final Resume resume;

    private StopTrials(Connector connector) {
        stop = new StopSwitch(connector, System::nanoTime);
        resume = new Resume(connector, System::nanoTime);
    }

    /**
     * One stop of everything and its end.
     *
     * @param sent when the order was sent, after its connection was made
     * @param recorded when its commit was known
     * @param confirmed when the last acknowledgement was read
     * @param answers microseconds from sent, by replica
     */
    record Given(
            String result,
            long sent,
            long recorded,
            long confirmed,
            long resumeSent,
            long resumed,
            List<Answer> answers) {
        long micros() {
            return (confirmed - sent) / 1_000;
        }

        long recordedMicros() {
            return (recorded - sent) / 1_000;
        }
    }

    /** What one replica did. */
    record Answer(String replica, String kind, long micros) {}

    /** Arguments: URL, user, file with the password, how many, milliseconds between them. */
    public static void main(String[] arguments) throws Exception {
        var login =
                new DatabaseConfig(
                        arguments[0], arguments[1], Files.readString(Path.of(arguments[2])), 1);
        var trials = new StopTrials(new Connector(login));
        int count = Integer.parseInt(arguments[3]);
        Duration between = Duration.ofMillis(Long.parseLong(arguments[4]));
        for (int i = 0; i < count; i++) {
            // Not in step with the beats.
            Await.pause(between.plusMillis(i * 7L % 50));
            System.out.println(JSON.writeValueAsString(tree(trials.once(between))));
        }
    }

    /** Runs them, and returns what they printed; the first ones only warm the code. */
    static List<Given> run(Gate gate, int warmUps, int count, Duration between) throws Exception {
        DatabaseConfig login = gate.database().operator();
        Path password = gate.settings().file("trials-password", String.valueOf(login.password()));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Flags.of(Path.of("..", "penstock"), "stop"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(
                List.of(
                        StopTrials.class.getName(),
                        login.url(),
                        login.user(),
                        password.toString(),
                        String.valueOf(warmUps + count),
                        String.valueOf(between.toMillis())));
        try (Program program = Program.start("stop-trials", command, Map.of())) {
            int status =
                    program.awaitExit(Duration.ofMinutes(4))
                            .orElseThrow(() -> program.failure("no end"));
            if (status != 0) throw program.failure("ended with " + status);
            List<Given> given = new ArrayList<>();
            for (String line : program.lines()) {
                if (line.startsWith("{")) given.add(JSON.readValue(line, Given.class));
            }
            return given.subList(warmUps, given.size());
        }
    }

    private Given once(Duration held) {
        var recorded = new AtomicLong();
        List<Answer> answers = new ArrayList<>();
        var order =
                new StopOrder(
                        List.of(new StopOrder.Target(UUID.randomUUID(), new Scope.All())),
                        "measured",
                        "trials",
                        false,
                        false);
        StopReport report =
                stop.stop(
                        order,
                        Patience.USUAL,
                        new Progress() {
                            @Override
                            public void recorded(long epoch) {
                                recorded.set(System.nanoTime());
                            }

                            @Override
                            public void answered(ReplicaAnswer answer) {
                                answers.add(
                                        new Answer(
                                                answer.replica(),
                                                answer.kind().name(),
                                                answer.after().toNanos() / 1_000));
                            }
                        });
        long sent = recorded.get() - report.recordedAfter().toNanos();
        long last = answers.stream().mapToLong(Answer::micros).max().orElse(0) * 1_000;
        Await.pause(held);
        var resumeSent = new AtomicLong(System.nanoTime());
        ResumeReport resumed =
                resume.these(
                        order.targets().stream().map(StopOrder.Target::id).toList(),
                        new Resume.Order("measured", "trials"),
                        Patience.USUAL,
                        Progress.NONE);
        return new Given(
                report.result().name() + "/" + resumed.result().name(),
                sent,
                recorded.get(),
                sent + last,
                resumeSent.get(),
                System.nanoTime(),
                answers);
    }

    private static ObjectNode tree(Given given) {
        ObjectNode tree = JSON.createObjectNode();
        tree.put("result", given.result()).put("sent", given.sent());
        tree.put("recorded", given.recorded()).put("confirmed", given.confirmed());
        tree.put("resumeSent", given.resumeSent()).put("resumed", given.resumed());
        ArrayNode answers = tree.putArray("answers");
        for (Answer answer : given.answers()) {
            answers.addObject()
                    .put("replica", answer.replica())
                    .put("kind", answer.kind())
                    .put("micros", answer.micros());
        }
        return tree;
    }
}

package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ActiveStop;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Resume;
import io.penstock.cluster.operator.ResumeReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "resume",
        description = {
            "Lifts stops. Needs the operator's credential for the database: a replica, even a",
            "compromised one, can give a stop but not lift one."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock resume 0b1f7f0e-8a0c-4d3b-9a57-0a2e4f6f2a11 --reason 'fixed'",
            "  penstock resume --all --reason 'drill over'",
            "%nExit codes as for stop; 1, at once, where an ID is no stop's: then none is lifted.",
            "--all lifts the stops that hold when it is given; others, given meanwhile, are named."
        })
final class ResumeCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Parameters(arity = "0..*", paramLabel = "ID", description = "Stops to lift.")
    List<String> ids = List.of();

    @Option(names = "--all", description = "All stops that hold.")
    boolean all;

    @Option(names = "--reason", required = true, paramLabel = "R", description = "Why.")
    String reason = "";

    @Mixin ConfirmationOptions confirmation = new ConfirmationOptions();

    @Mixin NoAdminOptions never = new NoAdminOptions();

    ResumeCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        never.check("lifting a stop");
        if (all == !ids.isEmpty()) {
            throw CommandFailure.usage("give the stops' IDs (penstock status shows them) or --all");
        }
        Resume resume =
                new Resume(
                        Operator.connector(confirmation.connection, environment), System::nanoTime);
        OrderLines lines = new OrderLines(terminal, confirmation.json);
        ResumeReport report = report(resume, lines);
        if (confirmation.json) {
            terminal.json(tree(report));
        } else {
            report.lifted().forEach(id -> terminal.line("lifted " + id));
            lines.silent(report.replicas());
            report.remaining()
                    .forEach(
                            stop ->
                                    terminal.line(
                                            "still holds: "
                                                    + stop.scope().text()
                                                    + " "
                                                    + stop.id()));
            lines.conclude(report.result(), report.message());
        }
        return report.result().exitCode();
    }

    private ResumeReport report(Resume resume, OrderLines lines) {
        try {
            Resume.Order order = new Resume.Order(reason, Operator.actor());
            Patience patience = confirmation.patience();
            return all
                    ? resume.all(order, patience, lines)
                    : resume.these(stops(), order, patience, lines);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /** Read here, as picocli takes the first that is none for the end of them. */
    private List<UUID> stops() {
        return ids.stream().map(ResumeCommand::stop).toList();
    }

    private static UUID stop(String id) {
        try {
            return UUID.fromString(id);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.USAGE, "'" + id + "' is no stop's ID: penstock status shows them", e);
        }
    }

    private static Map<String, Object> tree(ResumeReport report) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("result", report.result().name().toLowerCase(java.util.Locale.ROOT));
        tree.put("message", report.message());
        tree.put("epoch", report.epoch());
        tree.put("lifted", report.lifted().stream().map(UUID::toString).toList());
        tree.put("unknown", report.unknown().stream().map(UUID::toString).toList());
        tree.put("remaining", report.remaining().stream().map(ActiveStop::id).toList());
        tree.put("replicas", OrderLines.tree(report.replicas()));
        return tree;
    }
}

package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.doctor.Doctor;
import io.penstock.cluster.doctor.Expectations;
import io.penstock.cluster.doctor.Finding;
import io.penstock.cluster.doctor.Finding.Severity;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "doctor",
        description = {
            "Looks for everything that would break a guarantee: reach and role of the database, a",
            "pooler or a standby in the way, NOTIFY, clocks, durability, schema, connections,"
                    + " files.",
            "Changes nothing, and says what to do for each finding."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock doctor --config penstock.yaml",
            "  penstock doctor --config penstock.yaml --replicas 3",
            "%nExit code 0: all good. 4: warnings only. 1: an error."
        })
final class DoctorCommand implements Callable<Integer> {
    private static final int REPLICAS_MAX = 1_000;
    private static final int LANES_MAX = 4;

    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(
            names = "--replicas",
            defaultValue = "0",
            paramLabel = "N",
            description = "How many there will be; otherwise those that are registered.")
    int replicas;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    DoctorCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        if (replicas < 0 || replicas > REPLICAS_MAX) {
            throw CommandFailure.usage("--replicas must be 0 to " + REPLICAS_MAX);
        }
        List<Finding> findings =
                new Doctor(InstantSource.system(), System::nanoTime)
                        .examine(
                                Operator.database(connection, environment),
                                new Expectations(replicas, LANES_MAX));
        if (json) {
            terminal.json(findings.stream().map(DoctorCommand::tree).toList());
        } else {
            print(findings);
        }
        return exitCode(findings);
    }

    private static int exitCode(List<Finding> findings) {
        if (findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR)) {
            return ExitCode.FAILED;
        }
        return findings.stream().anyMatch(finding -> finding.severity() == Severity.WARNING)
                ? ExitCode.DEGRADED
                : ExitCode.DONE;
    }

    private void print(List<Finding> findings) {
        Table table = new Table("", "CHECK", "FOUND");
        for (Finding finding : findings) {
            table.row(mark(finding.severity()), finding.check(), finding.what());
        }
        table.print(terminal);
        for (Finding finding : findings) {
            if (finding.severity() != Severity.GOOD) {
                terminal.line("");
                terminal.line(
                        terminal.styled(
                                style(finding.severity()),
                                finding.check() + ": " + finding.what()));
                terminal.line("  why it matters: " + finding.why());
                terminal.line("  what to do:     " + finding.action());
            }
        }
    }

    private static Table.Cell mark(Severity severity) {
        return Table.cell(
                style(severity),
                switch (severity) {
                    case GOOD -> "ok";
                    case WARNING -> "warning";
                    case ERROR -> "error";
                });
    }

    private static Style style(Severity severity) {
        return switch (severity) {
            case GOOD -> Style.GOOD;
            case WARNING -> Style.WARNING;
            case ERROR -> Style.BAD;
        };
    }

    private static Map<String, Object> tree(Finding finding) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
        tree.put("check", finding.check());
        tree.put("found", finding.what());
        tree.put("why", finding.why());
        tree.put("action", finding.action());
        return tree;
    }
}

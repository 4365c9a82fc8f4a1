package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.store.RevisionStore.Revision;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "revisions",
        description = "Lists the revisions of the cluster-wide configuration, or shows one.",
        footerHeading = "%nExamples:%n",
        footer = {"  penstock revisions", "  penstock revisions 3"})
final class RevisionsCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Parameters(arity = "0..1", paramLabel = "N", description = "Show this one's document.")
    @Nullable Long number;

    @Option(
            names = "--most",
            defaultValue = "20",
            description = "How many, newest first (${DEFAULT-VALUE}).")
    int most;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    RevisionsCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        if (most < 1 || most > Revisions.LISTED_MAX) {
            throw CommandFailure.usage("--most must be 1 to " + Revisions.LISTED_MAX);
        }
        Revisions revisions =
                new Revisions(Operator.connector(connection, environment), System::nanoTime);
        Long wanted = number;
        if (wanted != null) {
            Revision revision =
                    revisions
                            .find(wanted)
                            .orElseThrow(
                                    () -> CommandFailure.failed("there is no revision " + wanted));
            terminal.line(revision.document());
            return ExitCode.DONE;
        }
        List<Revision> list = revisions.list(most);
        if (json) {
            terminal.json(list.stream().map(RevisionsCommand::tree).toList());
        } else {
            print(list);
        }
        return ExitCode.DONE;
    }

    private void print(List<Revision> list) {
        Table table = new Table("REVISION", "APPLIED", "BY", "EPOCH", "DIGEST", "REASON");
        for (Revision revision : list) {
            String name = revision.number() + (revision.current() ? " (current)" : "");
            table.row(
                    revision.current() ? Table.cell(Style.GOOD, name) : name,
                    Moment.text(revision.appliedAt()),
                    revision.appliedBy(),
                    revision.epoch(),
                    revision.hash().substring(0, 12),
                    String.valueOf(revision.reason() == null ? "" : revision.reason()));
        }
        table.print(terminal);
    }

    private static Map<String, Object> tree(Revision revision) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("revision", revision.number());
        tree.put("current", revision.current());
        tree.put("appliedAt", revision.appliedAt().toString());
        tree.put("appliedBy", revision.appliedBy());
        tree.put("reason", revision.reason());
        tree.put("epoch", revision.epoch());
        tree.put("hash", revision.hash());
        return tree;
    }
}

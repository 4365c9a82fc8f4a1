package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ChangeReport;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.store.RevisionStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows what a new revision changes, and what became of it.
 *
 * @param difference one line for each thing that changes
 */
record NewRevision(Terminal terminal, boolean json, Revisions revisions, List<String> difference) {

    /** Shows the difference alone. */
    int show(long current) {
        if (json) {
            terminal.json(Map.of("current", current, "difference", difference));
        } else if (difference.isEmpty()) {
            terminal.line("nothing to change: revision " + current + " says the same");
        } else {
            difference.forEach(this::colored);
        }
        return ExitCode.DONE;
    }

    private void colored(String line) {
        Style style =
                switch (line.charAt(0)) {
                    case '+' -> Style.GOOD;
                    case '-' -> Style.BAD;
                    case '~' -> Style.WARNING;
                    default -> Style.PLAIN;
                };
        terminal.line(terminal.styled(style, line));
    }

    /** Shows what came of the attempt; waits for the replicas where it counted. */
    int conclude(RevisionStore.Applied applied, Patience patience) {
        return switch (applied) {
            case RevisionStore.Applied.Unchanged same ->
                    new NewRevision(terminal, json, revisions, List.of()).show(same.revision());
            case RevisionStore.Applied.Conflict conflict ->
                    throw CommandFailure.failed(
                            "not applied: somebody made revision %d meanwhile, this was meant for after %d. Look at the difference again, with --dry-run; penstock revisions says who it was"
                                    .formatted(conflict.current(), conflict.expected()));
            case RevisionStore.Applied.Made made -> confirm(made, patience);
        };
    }

    private int confirm(RevisionStore.Applied.Made made, Patience patience) {
        if (!json) {
            difference.forEach(this::colored);
            terminal.line("revision " + made.revision());
        }
        OrderLines lines = new OrderLines(terminal, json);
        ChangeReport report = revisions.await(made.epoch(), patience, lines);
        if (!json) {
            return lines.conclude(report);
        }
        Map<String, Object> tree = new LinkedHashMap<>(ChangeTree.of(report));
        tree.put("revision", made.revision());
        tree.put("difference", difference);
        terminal.json(tree);
        return report.result().exitCode();
    }
}

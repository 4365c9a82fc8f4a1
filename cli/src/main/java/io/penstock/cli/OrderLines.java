package io.penstock.cli;

import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.ChangeReport;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.ReplicaAnswer;
import io.penstock.cluster.operator.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shows an order's progress, a line for each replica as it happens.
 *
 * @param quiet with {@code --json} only the result is printed
 */
record OrderLines(Terminal terminal, boolean quiet) implements Progress {
    @Override
    public void retrying(String reason) {
        terminal.note("not yet: " + reason + " (trying again)");
    }

    @Override
    public void recorded(long epoch) {
        if (!quiet) {
            terminal.line("recorded, epoch " + epoch);
        }
    }

    @Override
    public void answered(ReplicaAnswer answer) {
        if (!quiet) {
            line(answer);
        }
    }

    @Override
    public void closed(int open) {
        if (!quiet) {
            terminal.line(
                    "closed on every replica; "
                            + open
                            + (open == 1 ? " matching call is" : " matching calls are")
                            + " still open");
        }
    }

    /** Those that never answered are known at the end only. */
    void silent(List<ReplicaAnswer> answers) {
        if (!quiet) {
            answers.stream()
                    .filter(answer -> answer.kind() == ReplicaAnswer.Kind.SILENT)
                    .forEach(this::line);
        }
    }

    private void line(ReplicaAnswer answer) {
        Style style =
                switch (answer.kind()) {
                    case ACKED -> Style.GOOD;
                    case FENCED -> Style.WARNING;
                    case SILENT -> Style.BAD;
                };
        terminal.line(
                "%-12s %s".formatted(answer.replica(), terminal.styled(style, answer.text())));
    }

    /** The last line, in the colour of the result. */
    void conclude(Result result, String message) {
        Style style =
                switch (result) {
                    case CONFIRMED -> Style.GOOD;
                    case NOT_CONFIRMED -> Style.WARNING;
                    case NOT_RECORDED -> Style.BAD;
                };
        String text = terminal.styled(style, message);
        if (result == Result.NOT_RECORDED) {
            terminal.note(text);
        } else {
            terminal.line(text);
        }
    }

    /** Shows what came of a change, in words or as JSON, and gives the exit code. */
    int conclude(ChangeReport report) {
        if (quiet) {
            terminal.json(ChangeTree.of(report));
        } else {
            silent(report.replicas());
            conclude(report.result(), report.message());
        }
        return report.result().exitCode();
    }

    /** The scopes of a stop, with the ids by which they can be lifted. */
    void scopes(StopOrder order) {
        if (!quiet) {
            order.targets().forEach(t -> terminal.line("stop " + t.id() + ": " + t.scope().text()));
        }
    }

    /** A replica holds the order, whatever the cluster knows of it. */
    void held(boolean outlivesRestart) {
        if (!quiet) {
            terminal.line(
                    outlivesRestart
                            ? "held by that replica, also over its restart"
                            : "held by that replica until it restarts or the stop is recorded");
        }
    }

    static List<Map<String, Object>> tree(List<ReplicaAnswer> answers) {
        return answers.stream().map(OrderLines::tree).toList();
    }

    private static Map<String, Object> tree(ReplicaAnswer answer) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("replica", answer.replica());
        tree.put("incarnation", answer.incarnation().toString());
        tree.put("answer", answer.kind().name().toLowerCase(java.util.Locale.ROOT));
        tree.put("afterMillis", answer.after().toNanos() / 1e6);
        tree.put("cut", answer.cut());
        tree.put("open", answer.open());
        return tree;
    }
}

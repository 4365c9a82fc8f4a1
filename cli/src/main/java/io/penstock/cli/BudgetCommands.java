package io.penstock.cli;

import io.penstock.budget.Budget;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.admission.BudgetUsage;
import io.penstock.cluster.admission.OpenHold;
import io.penstock.cluster.operator.Budgets;
import io.penstock.cluster.operator.Revisions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about budgets. */
@Command(
        name = "budgets",
        description = "Budgets of the current revision, and what is used of them now.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock budgets",
            "  penstock budgets show agent-rate",
            "  penstock budgets explain --agent acme/crawler --server files --tool read_file"
        })
final class BudgetCommands implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    BudgetCommands(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        return list(json, connection);
    }

    @Command(
            name = "list",
            description = "Lists the budgets, with their fullest counter.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock budgets list --json")
    int list(
            @Option(names = "--json", description = "Print JSON.") boolean asJson,
            @Mixin ConnectionOptions where)
            throws Exception {
        List<Budget> budgets = budgets(where);
        List<BudgetUsage> uses =
                new Budgets(Operator.connector(where, environment), System::nanoTime).usage(null);
        if (asJson) {
            terminal.json(budgets.stream().map(budget -> tree(budget, uses)).toList());
            return ExitCode.DONE;
        }
        if (budgets.isEmpty()) {
            terminal.line("the current revision has no budgets");
            return ExitCode.DONE;
        }
        Table table =
                new Table("BUDGET", "LIMIT", "WINDOW", "PER", "MATCHES", "MODE", "FULLEST NOW");
        for (Budget budget : budgets) {
            table.row(
                    budget.name(),
                    BudgetWords.amount(unit(budget), budget.limit()) + " " + unit(budget),
                    budget.window().words(),
                    per(budget),
                    matches(budget),
                    budget.mode().name().toLowerCase(Locale.ROOT),
                    fullest(budget, uses));
        }
        table.print(terminal);
        return ExitCode.DONE;
    }

    @Command(
            name = "show",
            description = "Shows what each counter of a budget has used of its window.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock budgets show agent-rate")
    int show(
            @Parameters(paramLabel = "BUDGET", description = "Its name.") String name,
            @Option(names = "--json", description = "Print JSON.") boolean asJson,
            @Mixin ConnectionOptions where)
            throws Exception {
        checkBudget(name, where);
        List<BudgetUsage> uses =
                new Budgets(Operator.connector(where, environment), System::nanoTime).usage(name);
        if (asJson) {
            terminal.json(uses.stream().map(BudgetCommands::tree).toList());
            return ExitCode.DONE;
        }
        if (uses.isEmpty()) {
            terminal.line("no call was counted yet");
            return ExitCode.DONE;
        }
        Table table = new Table("COUNTER", "", "USED", "HELD", "LIMIT", "LEFT", "WINDOW ENDS");
        for (BudgetUsage use : uses) {
            long left = Math.max(0, use.limit() - use.used());
            Style style = left == 0 ? Style.BAD : Style.PLAIN;
            table.row(
                    scope(use),
                    Table.cell(style, BudgetWords.bar(use.used(), use.limit())),
                    BudgetWords.amount(use.unit(), use.used()),
                    BudgetWords.amount(use.unit(), use.held()),
                    BudgetWords.amount(use.unit(), use.limit()),
                    Table.cell(style, BudgetWords.amount(use.unit(), left)),
                    use.endsAt() == null ? "never" : Moment.text(use.endsAt()));
        }
        table.print(terminal);
        if (uses.size() == Budgets.LISTED_MAX) {
            terminal.note("the fullest " + Budgets.LISTED_MAX + " counters; there are more");
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "holds",
            description = "Lists what calls in flight hold, the oldest first.",
            footerHeading = "%nExamples:%n",
            footer = "  penstock budgets holds daily-cost")
    int holds(
            @Parameters(arity = "0..1", paramLabel = "BUDGET", description = "Of that one alone.")
                    @Nullable String name,
            @Option(names = "--json", description = "Print JSON.") boolean asJson,
            @Mixin ConnectionOptions where)
            throws Exception {
        List<OpenHold> holds =
                new Budgets(Operator.connector(where, environment), System::nanoTime).holds(name);
        if (name != null && holds.isEmpty()) {
            checkBudget(name, where);
        }
        if (asJson) {
            terminal.json(holds.stream().map(BudgetCommands::tree).toList());
            return ExitCode.DONE;
        }
        if (holds.isEmpty()) {
            terminal.line("nothing is held");
            return ExitCode.DONE;
        }
        Table table = new Table("CALL", "BUDGET", "UNITS", "REPLICA", "SINCE", "ENDS BY");
        for (OpenHold hold : holds) {
            table.row(
                    hold.call(),
                    Objects.requireNonNullElse(hold.budget(), "?"),
                    hold.slot() ? "a slot" : Long.toString(hold.amount()),
                    Objects.requireNonNullElse(hold.replica(), "gone"),
                    Moment.text(hold.since()),
                    Moment.text(hold.endsBy()));
        }
        table.print(terminal);
        return ExitCode.DONE;
    }

    private static Map<String, Object> tree(OpenHold hold) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("call", hold.call().toString());
        tree.put("budget", hold.budget());
        tree.put("amount", hold.amount());
        tree.put("slot", hold.slot());
        tree.put("replica", hold.replica());
        tree.put("since", hold.since().toString());
        tree.put("endsBy", hold.endsBy().toString());
        return tree;
    }

    private void checkBudget(String name, ConnectionOptions where) throws Exception {
        if (budgets(where).stream().noneMatch(budget -> budget.name().equals(name))) {
            throw CommandFailure.failed(
                    "the current revision has no budget " + name + ": see penstock budgets");
        }
    }

    private List<Budget> budgets(ConnectionOptions where) throws Exception {
        return new Revisions(Operator.connector(where, environment), System::nanoTime)
                .current()
                .map(revision -> revision.rules().budgets().all())
                .orElse(List.of());
    }

    private static String per(Budget budget) {
        return budget.per().isEmpty()
                ? "all together"
                : budget.per().stream()
                        .sorted()
                        .map(BudgetWords::lower)
                        .collect(Collectors.joining(", "));
    }

    private static String matches(Budget budget) {
        String server = budget.server() == null ? "*" : budget.server();
        String tool = budget.tool() == null ? "*" : budget.tool();
        return server.equals("*") && tool.equals("*") ? "every call" : server + "/" + tool;
    }

    private static String fullest(Budget budget, List<BudgetUsage> uses) {
        return uses.stream()
                .filter(use -> use.budget().equals(budget.name()) && use.used() > 0)
                .findFirst()
                .map(
                        use ->
                                BudgetWords.bar(use.used(), use.limit())
                                        + " of "
                                        + BudgetWords.amount(use.unit(), use.limit())
                                        + " ("
                                        + scope(use)
                                        + ")")
                .orElse("unused");
    }

    private static String scope(BudgetUsage use) {
        return BudgetWords.scope(use.scope()) + (use.shadow() ? " (shadow)" : "");
    }

    private static String unit(Budget budget) {
        return budget.unit().name().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Object> tree(Budget budget, List<BudgetUsage> uses) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("name", budget.name());
        tree.put("unit", budget.unit().name().toLowerCase(Locale.ROOT));
        tree.put("limit", budget.limit());
        tree.put("window", budget.window().words());
        tree.put("per", budget.per().stream().sorted().map(BudgetWords::lower).toList());
        tree.put("server", budget.server());
        tree.put("tool", budget.tool());
        tree.put("mode", budget.mode().name().toLowerCase(Locale.ROOT));
        tree.put(
                "fullest",
                uses.stream()
                        .filter(use -> use.budget().equals(budget.name()))
                        .findFirst()
                        .map(BudgetCommands::tree)
                        .orElse(null));
        return tree;
    }

    private static Map<String, Object> tree(BudgetUsage use) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("budget", use.budget());
        tree.put("unit", use.unit());
        tree.put("scope", use.scope());
        tree.put("shadow", use.shadow());
        tree.put("window", use.window());
        tree.put("used", use.used());
        tree.put("held", use.held());
        tree.put("limit", use.limit());
        tree.put("endsAt", use.endsAt() == null ? null : use.endsAt().toString());
        return tree;
    }
}

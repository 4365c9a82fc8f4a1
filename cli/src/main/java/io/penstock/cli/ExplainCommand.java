package io.penstock.cli;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Standing;
import io.penstock.budget.Subject;
import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.admission.Explained;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.operator.Budgets;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.postgres.Connector;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "explain",
        description = {
            "Shows every budget that would apply to a call and what is left of it, and why the",
            "others would not. Charges nothing."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock budgets explain --agent acme/crawler --server files --tool read_file",
            "%nExit code 0: the call would be admitted. 1: a budget would refuse it."
        })
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(
            names = "--agent",
            required = true,
            paramLabel = "T/A",
            description = "Who calls: TENANT/AGENT.")
    String agent = "";

    @Option(names = "--server", required = true, paramLabel = "S", description = "What is called.")
    String server = "";

    @Option(
            names = "--tool",
            required = true,
            paramLabel = "T",
            description = "Its tool; of a plain HTTP API METHOD /path-template.")
    String tool = "";

    @Option(
            names = "--session",
            paramLabel = "ID",
            description = "The session, for budgets that are kept per session.")
    @Nullable String session;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    ExplainCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        AgentName name = AgentName.parse(agent);
        Connector connector = Operator.connector(connection, environment);
        Rules rules =
                new Revisions(connector, System::nanoTime)
                        .current()
                        .orElseThrow(() -> CommandFailure.failed("there is no revision yet"))
                        .rules();
        if (!rules.servers().containsKey(server)) {
            throw CommandFailure.failed(
                    "the current revision has no server "
                            + server
                            + "; it has "
                            + String.join(
                                    ", ", rules.servers().keySet().stream().sorted().toList()));
        }
        Subject subject = new Subject(name.tenant(), name.agent(), server, tool, session);
        List<Explained> all = new Budgets(connector, System::nanoTime).explain(rules, subject);
        boolean refused = all.stream().anyMatch(Explained::refuses);
        if (json) {
            terminal.json(all.stream().map(Explained::described).toList());
        } else {
            print(all, refused);
        }
        return refused ? ExitCode.FAILED : ExitCode.DONE;
    }

    private void print(List<Explained> all, boolean refused) {
        Table table = new Table("BUDGET", "ASKS", "LEFT", "LIMIT", "HELD", "MORE IN", "");
        for (Explained one : all) {
            Charge charge = one.applied().charge();
            Standing standing = one.standing();
            Budget budget = one.applied().budget();
            if (charge == null || standing == null) {
                table.row(budget.name(), "", "", "", "", "", one.applied().why());
                continue;
            }
            String unit = unit(budget);
            table.row(
                    budget.name(),
                    BudgetWords.amount(unit, charge.amount())
                            + (charge.kind() == Charge.Kind.PLAIN ? "" : " held"),
                    Table.cell(
                            one.refuses() ? Style.BAD : Style.PLAIN,
                            BudgetWords.amount(unit, standing.remaining())),
                    BudgetWords.amount(unit, charge.counter().limit())
                            + " per "
                            + budget.window().words(),
                    BudgetWords.amount(unit, standing.held()),
                    BudgetWords.back(standing.endsInMicros()),
                    one.refuses() ? "refuses" : one.applied().why());
        }
        table.print(terminal);
        terminal.line(
                refused
                        ? terminal.styled(Style.BAD, "the call would be refused now")
                        : terminal.styled(Style.GOOD, "the call would be admitted now"));
    }

    private static String unit(Budget budget) {
        return budget.unit().name().toLowerCase(Locale.ROOT);
    }
}

package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.Budgets;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.postgres.Connector;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "reset",
        description = {
            "Empties the counters of a budget, all or those of one scope; what calls in flight",
            "hold stays charged. Journaled; every replica forgets that the budget was used up."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock budgets reset daily-cost --tenant acme --reason 'extra credit'",
            "%nExit codes as for stop."
        })
final class ResetCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Parameters(paramLabel = "BUDGET", description = "Its name.")
    String budget = "";

    @Option(names = "--tenant", paramLabel = "T", description = "That tenant's counters only.")
    @Nullable String tenant;

    @Option(names = "--agent", paramLabel = "T/A", description = "That agent's counters only.")
    @Nullable String agent;

    @Option(names = "--server", paramLabel = "S", description = "That server's counters only.")
    @Nullable String server;

    @Option(names = "--reason", required = true, paramLabel = "R", description = "For the journal.")
    String reason = "";

    @Mixin ConfirmationOptions confirmation = new ConfirmationOptions();

    ResetCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        Connector connector = Operator.connector(confirmation.connection, environment);
        boolean known =
                new Revisions(connector, System::nanoTime)
                        .current()
                        .map(
                                revision ->
                                        revision.rules().budgets().all().stream()
                                                .anyMatch(b -> b.name().equals(budget)))
                        .orElse(false);
        if (!known) {
            throw CommandFailure.failed(
                    "the current revision has no budget " + budget + ": see penstock budgets");
        }
        OrderLines lines = new OrderLines(terminal, confirmation.json);
        return lines.conclude(
                new Budgets(connector, System::nanoTime)
                        .reset(
                                new Budgets.Reset(budget, scope(), reason, Operator.actor()),
                                confirmation.patience(),
                                lines));
    }

    private Map<String, String> scope() {
        Map<String, String> scope = new LinkedHashMap<>();
        if (tenant != null) {
            scope.put("tenant", tenant);
        }
        if (agent != null) {
            AgentName name = AgentName.of(tenant, agent);
            scope.put("tenant", name.tenant());
            scope.put("agent", name.agent());
        }
        if (server != null) {
            scope.put("server", server);
        }
        return scope;
    }
}

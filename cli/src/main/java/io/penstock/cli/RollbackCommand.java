package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.store.RevisionStore.Revision;
import io.penstock.cluster.store.RulesDifference;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "rollback",
        description = {
            "Makes the rules of an earlier revision the cluster's next one. All replicas switch to",
            "it with one epoch; what was used of budgets that stay the same is kept."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock revisions",
            "  penstock rollback 3 --dry-run",
            "  penstock rollback 3 --reason 'the new limits were too low'",
            "%nExit codes as for apply."
        })
final class RollbackCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Parameters(paramLabel = "N", description = "A revision's number, as revisions shows it.")
    long number;

    @Option(names = "--dry-run", description = "Show the difference, and change nothing.")
    boolean dryRun;

    @Option(names = "--reason", paramLabel = "R", description = "Why, for the list of revisions.")
    @Nullable String reason;

    @Mixin ConfirmationOptions confirmation = new ConfirmationOptions();

    RollbackCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        Revisions revisions =
                new Revisions(
                        Operator.connector(confirmation.connection, environment), System::nanoTime);
        Revision to =
                revisions
                        .find(number)
                        .orElseThrow(
                                () ->
                                        CommandFailure.failed(
                                                "there is no revision "
                                                        + number
                                                        + ": see penstock revisions"));
        Revision now =
                revisions
                        .current()
                        .orElseThrow(() -> CommandFailure.failed("there is no revision yet"));
        NewRevision made =
                new NewRevision(
                        terminal,
                        confirmation.json,
                        revisions,
                        RulesDifference.between(now.rules(), to.rules()));
        if (dryRun || made.difference().isEmpty()) {
            return made.show(now.number());
        }
        Revisions.Order order = new Revisions.Order(reason == null ? "" : reason, Operator.actor());
        return made.conclude(
                revisions.rollback(now.number(), number, order), confirmation.patience());
    }
}

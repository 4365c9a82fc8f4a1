package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.store.RevisionStore;
import io.penstock.cluster.store.RulesDifference;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.Problem;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.RulesConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "apply",
        description = {
            "Makes the cluster-wide part of a file (budgets, server names and modes, lease) the",
            "cluster's next revision. All replicas switch to it with one epoch. What the file"
                    + " leaves",
            "out, budgets or lease, stays as it is."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock apply -f penstock.yaml --dry-run",
            "  penstock apply -f penstock.yaml --reason 'higher limits for acme'",
            "%nExit code 0: applied, or nothing to change. 1: not applied, somebody else was first"
                    + " for",
            "instance. 3: applied, not confirmed by every replica within --wait."
        })
final class ApplyCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(
            names = {"-f", "--file"},
            required = true,
            paramLabel = "FILE",
            description = "A configuration file; only its cluster-wide part counts.")
    Path file = Path.of("");

    @Option(names = "--dry-run", description = "Show the difference, and change nothing.")
    boolean dryRun;

    @Option(names = "--reason", paramLabel = "R", description = "Why, for the list of revisions.")
    @Nullable String reason;

    @Mixin ConfirmationOptions confirmation = new ConfirmationOptions();

    ApplyCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        RulesConfig wanted = rules();
        Revisions revisions =
                new Revisions(
                        Operator.connector(confirmation.connection, environment), System::nanoTime);
        Optional<RevisionStore.Revision> current = revisions.current();
        Rules before = current.map(RevisionStore.Revision::rules).orElse(null);
        Rules after = wanted.after(before);
        List<String> difference =
                before == null
                        ? List.of("the first revision")
                        : RulesDifference.between(before, after);
        long expected = current.map(RevisionStore.Revision::number).orElse(0L);
        NewRevision made = new NewRevision(terminal, confirmation.json, revisions, difference);
        if (dryRun || difference.isEmpty()) {
            return made.show(expected);
        }
        Revisions.Order order = new Revisions.Order(reason == null ? "" : reason, Operator.actor());
        return made.conclude(revisions.apply(expected, after, order), confirmation.patience());
    }

    private RulesConfig rules() {
        return switch (ConfigFile.readRules(file, environment::get)) {
            case Reading.Valid<RulesConfig> valid -> valid.value();
            case Reading.Invalid<RulesConfig> invalid ->
                    throw CommandFailure.failed(
                            "nothing was applied; the file is not valid:\n"
                                    + invalid.problems().stream()
                                            .map(Problem::toString)
                                            .collect(Collectors.joining("\n")));
        };
    }
}

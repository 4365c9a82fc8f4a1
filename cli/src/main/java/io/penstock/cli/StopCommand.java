package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.DryRun;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.ReplicaStatus;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.operator.StopReport;
import io.penstock.cluster.operator.StopSwitch;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "stop",
        description = {
            "Stops matching calls on every replica, and proves it replica by replica.",
            "Several scopes: any of them matches. Open calls are cut unless --drain is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock stop --all --reason 'runaway agents'",
            "  penstock stop --tenant acme --tool files/delete --reason 'incident 12' --drain",
            "  penstock stop --all --reason 'drill' --dry-run",
            "  penstock stop --all --reason 'drill' \\",
            "      --admin http://127.0.0.1:9090 --token-file stop.token",
            "%nExit code 0: every replica is confirmed, by its answer or because its lease is"
                    + " over.",
            "3: recorded, not confirmed within --wait. 1: not recorded."
        })
final class StopCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Mixin ScopeOptions scopes = new ScopeOptions();
    @Mixin ConfirmationOptions confirmation = new ConfirmationOptions();

    @Option(
            names = "--reason",
            required = true,
            paramLabel = "R",
            description = "Why, for the journal and for those who ask later.")
    String reason = "";

    /** At most one of them. */
    static final class Manner {
        @Option(names = "--cut", description = "Cut open calls and streams; the default.")
        boolean cut;

        @Option(names = "--drain", description = "Let open calls finish.")
        boolean drain;
    }

    @ArgGroup(exclusive = true)
    Manner manner = new Manner();

    @Option(
            names = "--until-recorded",
            description = "Keep trying to record it while the database is away.")
    boolean untilRecorded;

    @Option(names = "--show-reason", description = "Tell the reason to the refused agents too.")
    boolean showReason;

    @Option(names = "--dry-run", description = "Show what it would meet, and change nothing.")
    boolean dryRun;

    @Mixin AdminOptions admin = new AdminOptions();

    StopCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        StopOrder order = order();
        Patience patience = confirmation.patience(untilRecorded);
        Optional<AdminClient> replica = admin.client();
        if (replica.isPresent()) {
            try (AdminClient client = replica.get()) {
                return throughReplica(client, order, patience);
            }
        }
        StopSwitch stop =
                new StopSwitch(
                        Operator.connector(confirmation.connection, environment), System::nanoTime);
        if (dryRun) {
            return show(stop.dryRun(order));
        }
        OrderLines lines = new OrderLines(terminal, confirmation.json);
        lines.scopes(order);
        int code = conclude(stop.stop(order, patience, lines), lines);
        if (code == ExitCode.DONE) {
            doubtNames(order);
        }
        return code;
    }

    private int throughReplica(AdminClient client, StopOrder order, Patience patience)
            throws IOException, InterruptedException {
        if (dryRun) {
            throw CommandFailure.usage("--dry-run asks the database: give it without --admin");
        }
        OrderLines lines = new OrderLines(terminal, confirmation.json);
        lines.scopes(order);
        return conclude(
                new AdminStop(client, lines, System::nanoTime).give(order, patience), lines);
    }

    private int conclude(StopReport report, OrderLines lines) {
        if (confirmation.json) {
            terminal.json(tree(report));
        } else {
            lines.silent(report.replicas());
            lines.conclude(report.result(), report.message());
        }
        return report.result().exitCode();
    }

    /**
     * A name that is mistyped stops nothing, and looks as if it did. Asked last: a stop is urgent.
     */
    private void doubtNames(StopOrder order) {
        new Revisions(Operator.connector(confirmation.connection, environment), System::nanoTime)
                .serversIfReadable()
                .ifPresent(servers -> doubtNames(order, servers));
    }

    private void doubtNames(StopOrder order, Set<String> servers) {
        order.targets().stream()
                .flatMap(target -> server(target.scope()).stream())
                .filter(name -> !servers.contains(name))
                .forEach(
                        name ->
                                terminal.note(
                                        "the current revision has no server "
                                                + name
                                                + ": is the name right?"));
    }

    private static Optional<String> server(Scope scope) {
        return switch (scope) {
            case Scope.Server server -> Optional.of(server.server());
            case Scope.Tool tool -> Optional.of(tool.server());
            default -> Optional.empty();
        };
    }

    private StopOrder order() {
        List<StopOrder.Target> targets =
                scopes.scopes().stream()
                        .map(scope -> new StopOrder.Target(UUID.randomUUID(), scope))
                        .toList();
        try {
            return new StopOrder(targets, reason, Operator.actor(), manner.drain, showReason);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private int show(DryRun run) {
        if (confirmation.json) {
            Map<String, Object> tree = new LinkedHashMap<>();
            tree.put("scopes", run.order().targets().stream().map(t -> t.scope().text()).toList());
            tree.put("replicas", run.replicas().stream().map(ReplicaStatus::replica).toList());
            tree.put("holding", run.holding().stream().map(s -> s.scope().text()).toList());
            terminal.json(tree);
            return ExitCode.DONE;
        }
        run.order()
                .targets()
                .forEach(target -> terminal.line("would stop " + target.scope().text()));
        run.holding()
                .forEach(
                        held ->
                                terminal.line(
                                        "holds already: " + held.scope().text() + " " + held.id()));
        Table table = new Table("REPLICA", "STATE", "LEASE LEFT", "CALLS/S");
        run.replicas()
                .forEach(
                        replica ->
                                table.row(
                                        replica.replica(),
                                        replica.state(),
                                        replica.leaseLeft().toMillis() + " ms",
                                        replica.callsPerSecond()));
        table.print(terminal);
        return ExitCode.DONE;
    }

    private static Map<String, Object> tree(StopReport report) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("result", report.result().name().toLowerCase(java.util.Locale.ROOT));
        tree.put("message", report.message());
        tree.put("epoch", report.epoch());
        tree.put("recordedAfterMillis", report.recordedAfter().toNanos() / 1e6);
        tree.put(
                "stops",
                report.order().targets().stream()
                        .map(t -> Map.of("id", t.id().toString(), "scope", t.scope().text()))
                        .toList());
        tree.put("replicas", OrderLines.tree(report.replicas()));
        return tree;
    }
}

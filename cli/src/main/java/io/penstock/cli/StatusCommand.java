package io.penstock.cli;

import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.ActiveBlock;
import io.penstock.cluster.operator.ActiveStop;
import io.penstock.cluster.operator.ClusterStatus;
import io.penstock.cluster.operator.ReplicaStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "status",
        description = "Shows replicas, stops, blocks and the database.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock status",
            "  penstock status --config penstock.yaml --json",
            "%nA replica is booting, open or draining; overdue once its lease is over; gone without"
                    + " a",
            "beat for 15 s, and then shown until one of its name is back, for 10 minutes at most.",
            "%nExit code 0: all well. 4: degraded; the findings say in what."
        })
final class StatusCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    @Mixin AdminOptions admin = new AdminOptions();

    StatusCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        Optional<AdminClient> replica = admin.client();
        if (replica.isPresent()) {
            try (AdminClient client = replica.get()) {
                return new AdminStatus(terminal).show(client.get("/v1/status"), json);
            }
        }
        ClusterStatus status = ClusterStatus.read(Operator.connector(connection, environment));
        if (json) {
            terminal.json(tree(status));
        } else {
            print(status);
        }
        return status.degraded() ? ExitCode.DEGRADED : ExitCode.DONE;
    }

    private void print(ClusterStatus status) {
        terminal.line(
                "epoch %d, revision %d, lease %d ms; Postgres %s (%s, %s)"
                        .formatted(
                                status.epoch(),
                                status.revision(),
                                status.lease().toMillis(),
                                status.database().version(),
                                status.database().role(),
                                status.database().durability().label()));
        terminal.line("");
        tables(status).print(terminal);
        terminal.line("");
        status.findings()
                .forEach(finding -> terminal.line(terminal.styled(Style.WARNING, finding)));
        if (!status.degraded()) {
            terminal.line(terminal.styled(Style.GOOD, "all well"));
        }
    }

    private static StatusTables tables(ClusterStatus status) {
        StatusTables tables = new StatusTables();
        for (ReplicaStatus replica : status.replicas()) {
            tables.replica(
                    replica.replica(),
                    new StatusTables.Place(
                            replica.dataAddress(), replica.adminAddress(), replica.version()),
                    new StatusTables.Standing(
                            replica.state(),
                            replica.epoch(),
                            replica.leaseLeft().toMillis(),
                            replica.callsPerSecond()),
                    replica.leads());
        }
        for (ActiveStop stop : status.stops()) {
            tables.stop(
                    stop.id().toString(),
                    stop.scope().text(),
                    stop.drain(),
                    new StatusTables.Given(stop.givenAt(), stop.actor(), stop.reason()));
        }
        status.blocks().forEach(tables::block);
        return tables;
    }

    private static Map<String, Object> tree(ClusterStatus status) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("cluster", status.cluster());
        tree.put("epoch", status.epoch());
        tree.put("revision", status.revision());
        tree.put("leaseMillis", status.lease().toMillis());
        tree.put("replicas", status.replicas().stream().map(StatusCommand::tree).toList());
        tree.put("stops", status.stops().stream().map(StatusCommand::tree).toList());
        tree.put("blocks", status.blocks().stream().map(StatusCommand::tree).toList());
        tree.put(
                "database",
                Map.of(
                        "version", status.database().version(),
                        "role", status.database().role(),
                        "durability", status.database().durability().label(),
                        "login", status.database().login()));
        tree.put("findings", status.findings());
        return tree;
    }

    private static Map<String, Object> tree(ReplicaStatus replica) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("replica", replica.replica());
        tree.put("incarnation", replica.incarnation().toString());
        tree.put("state", replica.state());
        tree.put("version", replica.version());
        tree.put("agentsAddress", replica.dataAddress());
        tree.put("adminAddress", replica.adminAddress());
        tree.put("configHash", replica.configHash());
        tree.put("epoch", replica.epoch());
        tree.put("acknowledgedEpoch", replica.ackedEpoch());
        tree.put("open", replica.open());
        tree.put("leaseLeftMillis", replica.leaseLeft().toMillis());
        tree.put("beatAgeMillis", replica.beatAge().toMillis());
        tree.put("callsPerSecond", replica.callsPerSecond());
        tree.put("clockOffsetMicros", replica.clockOffsetMicros());
        tree.put("degraded", replica.degraded());
        tree.put("leads", replica.leads());
        return tree;
    }

    private static Map<String, Object> tree(ActiveStop stop) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("id", stop.id().toString());
        tree.put("scope", stop.scope().text());
        tree.put("drain", stop.drain());
        tree.put("reason", stop.reason());
        tree.put("actor", stop.actor());
        tree.put("epoch", stop.epoch());
        tree.put("givenAt", stop.givenAt().toString());
        return tree;
    }

    static Map<String, Object> tree(ActiveBlock block) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("tenant", block.tenant());
        tree.put("agent", block.agent());
        tree.put("reason", block.reason());
        tree.put("actor", block.actor());
        tree.put("givenAt", block.givenAt().toString());
        tree.put("expiresAt", block.expiresAt().toString());
        return tree;
    }
}

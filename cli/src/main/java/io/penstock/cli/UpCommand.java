package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cli.up.RunningUp;
import io.penstock.cli.up.UpAddresses;
import io.penstock.cli.up.UpPlan;
import io.penstock.cli.up.UpStack;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.Problem;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.ReplicaConfig;
import io.penstock.gateway.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "up",
        description = {
            "Runs the whole thing on this machine: an embedded Postgres, a demo MCP server, and",
            "replicas that share one port. Ctrl-C stops everything."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock up",
            "  penstock up --replicas 3 --port 9000",
            "  penstock up --data ./data           keep the database",
            "  penstock up --config penstock.yaml  your servers and budgets instead of the demo's"
        })
final class UpCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(
            names = "--replicas",
            defaultValue = "2",
            description = "How many replicas (${DEFAULT-VALUE}).")
    int replicas;

    @Option(
            names = "--port",
            defaultValue = "8080",
            description = "Where agents call (${DEFAULT-VALUE}); the next free one if it is taken.")
    int port;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Servers, budgets and everything else from this configuration.")
    @Nullable Path config;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Keep the database here; otherwise it is temporary.")
    @Nullable Path data;

    UpCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        long began = System.nanoTime();
        UpPlan plan = plan();
        Path folder = RunningUp.folder(environment);
        UpStack stack = UpStack.prepare(plan, terminal, folder);
        Thread hook = new Thread(() -> end(stack, folder), "up-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            UpAddresses addresses = stack.start();
            announce(addresses, folder);
            print(addresses, plan, (System.nanoTime() - began) / 1e9);
            return stack.await() ? ExitCode.DONE : ExitCode.FAILED;
        } finally {
            endsByItself(hook);
            stack.close();
            forget(folder);
        }
    }

    /** An end that nobody asked for keeps its own exit status. */
    private static void endsByItself(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // Somebody asked: the hook runs already, and says how it ends.
        }
    }

    /** Runs on Ctrl-C and SIGTERM: a wanted end is not a failure. */
    private void end(UpStack stack, Path folder) {
        terminal.note("stopping");
        stack.close();
        forget(folder);
        Runtime.getRuntime().halt(ExitCode.DONE);
    }

    private UpPlan plan() {
        if (replicas < 1 || replicas > UpPlan.REPLICAS_MAX) {
            throw CommandFailure.usage("--replicas must be 1 to " + UpPlan.REPLICAS_MAX);
        }
        if (port < 1 || port > 65_535) {
            throw CommandFailure.usage("--port must be 1 to 65535");
        }
        return new UpPlan(replicas, port, data, config == null ? null : own(config), null);
    }

    private UpPlan.Own own(Path file) {
        return switch (ConfigFile.read(file, environment::get)) {
            case Reading.Invalid<ReplicaConfig> invalid ->
                    throw CommandFailure.failed(
                            invalid.problems().stream()
                                    .map(Problem::toString)
                                    .collect(Collectors.joining("\n")));
            case Reading.Valid<ReplicaConfig> valid -> {
                replaced(file, valid.value());
                yield new UpPlan.Own(file, valid.value());
            }
        };
    }

    private void replaced(Path file, ReplicaConfig own) {
        String names =
                own.servers().stream().map(ServerConfig::name).collect(Collectors.joining(", "));
        terminal.note(
                file
                        + " replaces the demo's servers (now: "
                        + (names.isEmpty() ? "none" : names)
                        + "), budgets (now: "
                        + own.budgets().size()
                        + "), identity and limits; there is no demo server and no demo key.");
        terminal.note(
                "up itself gives each replica its name, its port and its admin port"
                        + (own.database().embedded()
                                ? ", and the embedded database."
                                : "; the database is the file's, not an embedded one."));
        if (data != null && !own.database().embedded()) {
            throw CommandFailure.usage("--data is for the embedded database, not for " + file);
        }
    }

    /** Lets commands in other terminals find this one. */
    private void announce(UpAddresses addresses, Path folder) {
        var operator = addresses.operator();
        if (operator == null) {
            return;
        }
        String key = addresses.key() == null ? "" : addresses.key();
        String server = addresses.demoServer() == null ? "" : "demo";
        new RunningUp(
                        ProcessHandle.current().pid(),
                        ProcessHandle.current().info().startInstant().orElse(Instant.EPOCH),
                        operator.url(),
                        operator.user(),
                        String.valueOf(operator.password()),
                        addresses.url(),
                        server,
                        key)
                .write(folder);
    }

    private static void forget(Path folder) {
        try {
            Files.deleteIfExists(folder.resolve("up-" + ProcessHandle.current().pid() + ".json"));
        } catch (IOException e) {
            // Its process id tells readers that it is void.
        }
    }

    private void print(UpAddresses addresses, UpPlan plan, double seconds) {
        terminal.line("");
        terminal.line(
                terminal.styled(
                        Style.GOOD,
                        "Penstock is up: %d replica%s, ready in %.1f s"
                                .formatted(
                                        plan.replicas(),
                                        plan.replicas() == 1 ? "" : "s",
                                        seconds)));
        terminal.line("");
        table(addresses, plan).print(terminal);
        terminal.line("");
        if (addresses.key() == null) {
            terminal.line("An agent's key: " + bold(command() + " keys new --agent TENANT/AGENT"));
            terminal.line(
                    "A stop:         " + bold(command() + " stop --all --reason \"trying it\""));
        } else {
            tries(addresses, addresses.key());
        }
        terminal.line("");
        terminal.line("Ctrl-C stops everything.");
    }

    private static Table table(UpAddresses addresses, UpPlan plan) {
        Table table = new Table("WHAT", "WHERE", "PROCESS");
        UpPlan.Own own = plan.own();
        if (own == null) {
            table.row("agents call", addresses.url() + "/mcp/demo", "all replicas");
        } else {
            for (ServerConfig server : own.config().servers()) {
                String path =
                        server.mcp() ? "/mcp/" + server.name() : "/http/" + server.name() + "/";
                table.row("agents call", addresses.url() + path, "all replicas");
            }
        }
        for (UpAddresses.Replica replica : addresses.replicas()) {
            table.row(
                    "replica " + replica.name(),
                    replica.adminUrl() + "/metrics, /health/ready",
                    replica.pid());
        }
        if (addresses.operator() != null) {
            table.row("database", addresses.operator().address(), "");
        }
        if (addresses.demoServer() != null) {
            table.row("demo server", addresses.demoServer(), "");
        }
        return table.row("logs", addresses.logs(), "");
    }

    private void tries(UpAddresses addresses, String key) {
        terminal.line("The demo agent is demo/tester, its key " + key);
        terminal.line("In another terminal:");
        terminal.line("");
        terminal.line("# a call: 100 are admitted in 10 s, over all replicas");
        terminal.line(
                bold(
                        """
                        curl -i %s/mcp/demo \\
                          -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' \\
                          -H 'Accept: application/json, text/event-stream' \\
                          -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}'\
                        """
                                .formatted(addresses.url(), key)));
        terminal.line("");
        terminal.line("# an overload: three times the limit over 32 connections");
        terminal.line(bold(command() + " try overload"));
        terminal.line("");
        terminal.line("# a stop, and the way back");
        terminal.line(bold(command() + " stop --all --reason \"trying it\""));
        terminal.line(bold(command() + " resume --all --reason \"tried it\""));
    }

    private String bold(String text) {
        return terminal.styled(Style.BOLD, text);
    }

    /** How the user called us, as far as it can be known: another terminal may stand elsewhere. */
    private static String command() {
        String launcher = System.getProperty("penstock.launcher");
        if (launcher == null) {
            return "penstock";
        }
        Path path = Path.of(launcher);
        Path here = Path.of("").toAbsolutePath();
        return here.equals(path.getParent()) ? "./penstock" : launcher;
    }
}

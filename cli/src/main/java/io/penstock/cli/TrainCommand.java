package io.penstock.cli;

import io.penstock.cli.demo.Overload;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cli.up.RunningUp;
import io.penstock.cli.up.UpAddresses;
import io.penstock.cli.up.UpPlan;
import io.penstock.cli.up.UpStack;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a replica under a little load, so that its JVM can write a cache of what it loaded. */
@Command(
        name = "train",
        hidden = true,
        description = "Makes a replica's start-up cache; the launcher calls it.")
final class TrainCommand implements Callable<Integer> {
    private static final int PORT = 28_080;
    private static final int CONNECTIONS = 8;

    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(names = "--cache", required = true, description = "The file to write.")
    Path cache = Path.of("");

    TrainCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        UpPlan plan = new UpPlan(1, PORT, null, null, cache);
        try (UpStack stack = UpStack.prepare(plan, terminal, RunningUp.folder(environment))) {
            UpAddresses addresses = stack.start();
            URI calls = URI.create(addresses.url() + "/mcp/demo");
            new Overload(calls, Objects.requireNonNull(addresses.key()), CONNECTIONS)
                    .run(2, terminal::note);
        }
        // The replica's JVM writes it before it ends, and closing waited for that.
        return Files.exists(cache) ? ExitCode.DONE : ExitCode.FAILED;
    }
}

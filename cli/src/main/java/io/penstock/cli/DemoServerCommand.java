package io.penstock.cli;

import io.penstock.cli.demo.DemoServer;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cli.up.ParentWatch;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "demo-server",
        hidden = true,
        description = "The demo MCP server of penstock up, on the loopback interface.")
final class DemoServerCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = "--port", description = "0 for any free one.")
    int port;

    DemoServerCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        try (DemoServer server = DemoServer.start(port)) {
            terminal.line("{\"port\":" + server.port() + "}");
            ParentWatch.await();
        }
        return ExitCode.DONE;
    }
}

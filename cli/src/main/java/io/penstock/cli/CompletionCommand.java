package io.penstock.cli;

import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
        name = "completion",
        description = "Prints a completion script for bash and zsh.",
        footerHeading = "%nExamples:%n",
        footer = "  source <(penstock completion)")
final class CompletionCommand implements Callable<Integer> {
    private final Terminal terminal;
    @Spec @Nullable CommandSpec spec;

    CompletionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandSpec root = Objects.requireNonNull(spec).root();
        terminal.line(AutoComplete.bash(root.name(), root.commandLine()));
        return ExitCode.DONE;
    }
}

package io.penstock.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

@Command(
        name = "penstock",
        description = "A clustered gateway between AI agents and the tools they call.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock up                              everything on this machine, to try",
            "  penstock serve --config penstock.yaml    one replica",
            "  penstock stop --all --reason 'runaway'   stop every call, on every replica",
            "  penstock status",
            "%nExit codes: 0 done, 1 failed, 2 wrong usage, 3 stop not confirmed, 4 degraded."
        })
final class Penstock implements Callable<Integer> {
    @Spec @Nullable CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    boolean version;

    @Override
    public Integer call() {
        CommandLine line = java.util.Objects.requireNonNull(spec).commandLine();
        line.usage(line.getErr());
        return CommandLine.ExitCode.USAGE;
    }
}

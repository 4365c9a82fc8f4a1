package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Table;
import io.penstock.cli.terminal.Terminal;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.ReplicaConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "check",
        description = "Validates a configuration file without starting anything.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  penstock check --config penstock.yaml",
            "  penstock check --config penstock.yaml --effective",
            "%nExit code 0: valid. 1: not; every problem is on a line of its own."
        })
final class CheckCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Option(names = "--config", paramLabel = "FILE", description = "The file (PENSTOCK_CONFIG).")
    @Nullable Path config;

    @Option(
            names = "--effective",
            description = "Show every key with the value that holds; secrets are masked.")
    boolean effective;

    @Option(names = "--json", description = "Print JSON.")
    boolean json;

    CheckCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() {
        Path file = configPath(config, environment);
        return switch (ConfigFile.read(file, environment::get)) {
            case Reading.Valid<ReplicaConfig> valid -> valid(file, valid.value());
            case Reading.Invalid<ReplicaConfig> invalid -> invalid(invalid);
        };
    }

    /** The file that a flag or the environment names. */
    static Path configPath(@Nullable Path given, Map<String, String> environment) {
        String variable = environment.getOrDefault("PENSTOCK_CONFIG", "");
        if (given == null && variable.isEmpty()) {
            throw CommandFailure.usage("which file? Give --config FILE or set PENSTOCK_CONFIG");
        }
        return given == null ? Path.of(variable) : given;
    }

    private int valid(Path file, ReplicaConfig replica) {
        if (json) {
            terminal.json(
                    Map.of("valid", true, "problems", List.of(), "effective", replica.effective()));
        } else if (effective) {
            Table table = new Table("KEY", "VALUE");
            replica.effective().forEach(table::row);
            table.print(terminal);
        } else {
            terminal.line(
                    file
                            + ": "
                            + terminal.styled(Style.GOOD, "valid")
                            + " (%d servers, %d budgets)"
                                    .formatted(replica.servers().size(), replica.budgets().size()));
        }
        return ExitCode.DONE;
    }

    private int invalid(Reading.Invalid<ReplicaConfig> invalid) {
        if (json) {
            terminal.json(Map.of("valid", false, "problems", invalid.problems()));
        } else {
            invalid.problems().forEach(problem -> terminal.line(problem.toString()));
        }
        return ExitCode.FAILED;
    }
}

package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Style;
import io.penstock.cli.terminal.Terminal;
import io.penstock.gateway.config.LogConfig;
import io.penstock.gateway.logging.Logs;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of every command. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Map<String, String> environment = System.getenv();
        Logs.start(new LogConfig(LogConfig.Format.TEXT, System.Logger.Level.WARNING));
        System.exit(run(args, environment, Terminal.system(environment)));
    }

    /** Runs a command and says how it ended. */
    static int run(String[] args, Map<String, String> environment, Terminal terminal) {
        return commandLine(environment, terminal).execute(args);
    }

    /** All commands, ready to parse or to print their help. */
    static CommandLine commandLine(Map<String, String> environment, Terminal terminal) {
        CommandLine line = Commands.all(environment, terminal);
        line.setOut(terminal.out());
        line.setErr(terminal.err());
        line.setColorScheme(
                CommandLine.Help.defaultColorScheme(terminal.color() ? Ansi.ON : Ansi.OFF));
        line.setUsageHelpAutoWidth(false);
        line.setUsageHelpWidth(100);
        line.setParameterExceptionHandler((failure, _) -> usageError(failure, terminal));
        boolean debug = !environment.getOrDefault("PENSTOCK_DEBUG", "").isEmpty();
        line.setExecutionExceptionHandler((failure, _, _) -> failed(failure, terminal, debug));
        return line;
    }

    private static int usageError(ParameterException failure, Terminal terminal) {
        CommandLine command = failure.getCommandLine();
        terminal.note(prefix(terminal) + failure.getMessage());
        UnmatchedArgumentException.printSuggestions(failure, terminal.err());
        terminal.note("See: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int failed(Exception failure, Terminal terminal, boolean debug) {
        if (debug) {
            failure.printStackTrace(terminal.err());
        }
        if (failure instanceof CommandFailure known) {
            terminal.note(prefix(terminal) + known.getMessage());
            return known.exitCode();
        }
        terminal.note(prefix(terminal) + describe(failure));
        if (!debug) {
            terminal.note("PENSTOCK_DEBUG=1 shows where.");
        }
        return ExitCode.FAILED;
    }

    /** The innermost cause is what happened; the outer ones say who noticed. */
    private static String describe(Exception failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return cause == failure || message.contains(String.valueOf(cause.getMessage()))
                ? message
                : message + ": " + cause.getMessage();
    }

    private static String prefix(Terminal terminal) {
        return terminal.styled(Style.BAD, "penstock: ");
    }
}

package io.penstock.cli.terminal;

import org.jspecify.annotations.Nullable;

/**
 * A command could not do what it was told; says why, and what to do. Shown without a stack trace.
 */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** Failed: exit code 1. */
    public static CommandFailure failed(String message) {
        return new CommandFailure(ExitCode.FAILED, message, null);
    }

    /** Called wrongly: exit code 2. */
    public static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message, null);
    }

    public int exitCode() {
        return exitCode;
    }
}

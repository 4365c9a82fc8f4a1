package io.penstock.cli.terminal;

/** What the exit codes of all commands mean. Scripts rely on them. */
public final class ExitCode {
    public static final int DONE = 0;
    public static final int FAILED = 1;
    public static final int USAGE = 2;
    public static final int NOT_CONFIRMED = 3;
    public static final int DEGRADED = 4;

    private ExitCode() {}
}

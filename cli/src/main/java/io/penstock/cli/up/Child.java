package io.penstock.cli.up;

import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process that {@code up} started. It ends with {@code up}, however that ends: its standard input
 * is a pipe whose end it waits for.
 */
final class Child {
    private static final int LAST_LINES = 8;

    private final String name;
    private final List<String> command;
    private final Map<String, String> environment;
    private final Path log;
    private volatile Process process;

    private Child(
            String name,
            List<String> command,
            Map<String, String> environment,
            Path log,
            Process process) {
        this.name = name;
        this.command = command;
        this.environment = environment;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param environment on top of this process's own
     * @param log where its output goes, appended
     */
    static Child start(
            String name, List<String> command, Map<String, String> environment, Path log) {
        return new Child(name, command, environment, log, launch(name, command, environment, log));
    }

    private static Process launch(
            String name, List<String> command, Map<String, String> environment, Path log) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new CommandFailure(1, "cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    /** Starts it again after it ended. */
    void restart() {
        process = launch(name, command, environment, log);
    }

    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    boolean alive() {
        return process.isAlive();
    }

    /** Waits for its end and returns its exit code. */
    int await() throws InterruptedException {
        return process.waitFor();
    }

    /** Asks it to end. */
    void end() {
        process.destroy();
    }

    /** Waits for its end; after so many milliseconds it is killed. */
    void awaitEnd(long millisMax) {
        try {
            if (process.waitFor(millisMax, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }

    /** The end of what it logged. */
    List<String> lastLines() {
        try (var lines = Files.lines(log)) {
            List<String> all = lines.toList();
            return all.subList(Math.max(0, all.size() - LAST_LINES), all.size());
        } catch (IOException | java.io.UncheckedIOException e) {
            return List.of("(no log: " + e.getMessage() + ")");
        }
    }
}

package io.penstock.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A child process of a test, with its output in a file under {@code target/e2e}. Whatever a test
 * forgets, or a failing JVM leaves, is killed when the JVM ends.
 */
final class Program implements AutoCloseable {
    /** Where logs and generated files of the tests go. */
    static final Path FOLDER = Path.of("target", "e2e").toAbsolutePath();

    private static final Duration GRACE = Duration.ofSeconds(15);
    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();
    private static final AtomicInteger COUNT = new AtomicInteger();

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> LIVE.forEach(Program::killTree), "e2e-children"));
    }

    private final String name;
    private final Process process;
    private final Path log;

    private Program(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /** Starts it with standard output and standard error in one log file. */
    static Program start(String name, List<String> command, Map<String, String> environment) {
        try {
            Files.createDirectories(FOLDER);
            Path log = FOLDER.resolve("%03d-%s.log".formatted(COUNT.incrementAndGet(), name));
            var builder =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            LIVE.add(process);
            process.onExit().thenRun(() -> LIVE.remove(process));
            return new Program(name, process, log);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
    }

    /** Runs it to its end and returns what it printed; fails where it does not end with 0. */
    static String run(String name, Duration bound, List<String> command) {
        try (Program program = start(name, command, Map.of())) {
            int status = program.awaitExit(bound).orElseThrow(() -> program.failure("no end"));
            if (status != 0) throw program.failure("ended with " + status);
            return program.output();
        }
    }

    boolean alive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** What it printed so far. */
    String output() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> lines() {
        return output().lines().toList();
    }

    void awaitOutput(String text) {
        Await.until(
                name + " prints " + text,
                () -> {
                    if (output().contains(text)) return true;
                    if (!alive()) throw new IllegalStateException("it ended: " + tail());
                    return false;
                });
    }

    /** Writes a line to its standard input. */
    void say(String line) {
        try {
            var input = process.getOutputStream();
            input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a signal by its name without SIG: TERM, KILL, STOP, CONT. */
    void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Its exit status, or empty where it did not end in time. */
    OptionalInt awaitExit(Duration bound) {
        try {
            return process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)
                    ? OptionalInt.of(process.exitValue())
                    : OptionalInt.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    AssertionError failure(String what) {
        return new AssertionError(name + ": " + what + "; its output ends:\n" + tail());
    }

    private String tail() {
        List<String> lines = lines();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    }

    /** Asks it to end, and kills it where it does not. */
    @Override
    public void close() {
        if (process.isAlive()) {
            List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
            process.destroy();
            if (awaitExit(GRACE).isEmpty()) killTree(process);
            family.forEach(ProcessHandle::destroyForcibly);
        }
        LIVE.remove(process);
    }

    private static void killTree(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}

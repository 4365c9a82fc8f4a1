package io.penstock.gateway.logging;

import io.penstock.gateway.config.LogConfig;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Sets up logging of the whole process: one line an event, to standard error.
 *
 * <p>Our own messages are {@code key=value} pairs. What libraries say is wrapped into one, and only
 * heard from a warning on, because they tell about each connection and each migration.
 */
public final class Logs {
    /** Loggers of libraries that are only heard from a warning on. */
    private static final List<String> CHATTER =
            List.of(
                    "com.zaxxer.hikari",
                    "io.github.resilience4j",
                    "io.helidon",
                    "io.micrometer",
                    "io.prometheus",
                    "org.flywaydb",
                    "org.postgresql",
                    "sun",
                    "jdk",
                    "javax");

    /**
     * Libraries that warn of each client's fault or each lost connection, which is not ours to fix.
     */
    private static final List<String> CLIENTS_FAULTS =
            List.of(
                    "io.helidon.webserver",
                    "io.helidon.common.task",
                    // A warning for each connection that a restart of the database ended.
                    "com.zaxxer.hikari.pool");

    /** JUL forgets a logger that nobody holds, and its level with it. */
    private static final List<Logger> HELD =
            Stream.concat(CHATTER.stream(), CLIENTS_FAULTS.stream())
                    .map(Logger::getLogger)
                    .toList();

    private Logs() {}

    /** Logs from now on as configured; replaces whatever was set up before. */
    public static void start(LogConfig config) {
        start(config, new FileOutputStream(FileDescriptor.err));
    }

    static void start(LogConfig config, OutputStream out) {
        // Helidon would read a configuration of its own over this one.
        System.setProperty("io.helidon.logging.config.disabled", "true");
        LogManager.getLogManager().reset();
        Level level = level(config.level());
        Handler handler =
                new LineHandler(
                        out,
                        switch (config.format()) {
                            case TEXT -> new TextLines();
                            case JSON -> new JsonLines();
                        });
        handler.setLevel(level);
        Logger root = Logger.getLogger("");
        root.addHandler(handler);
        root.setLevel(level);
        boolean quiet = level.intValue() >= Level.INFO.intValue();
        for (Logger each : HELD) {
            Level usual = CLIENTS_FAULTS.contains(each.getName()) ? Level.SEVERE : Level.WARNING;
            each.setLevel(quiet ? usual : null);
        }
    }

    private static Level level(System.Logger.Level level) {
        return switch (level) {
            case ALL -> Level.ALL;
            case TRACE -> Level.FINER;
            case DEBUG -> Level.FINE;
            case INFO -> Level.INFO;
            case WARNING -> Level.WARNING;
            case ERROR -> Level.SEVERE;
            case OFF -> Level.OFF;
        };
    }
}

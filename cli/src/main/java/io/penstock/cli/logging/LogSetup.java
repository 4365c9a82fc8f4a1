package io.penstock.cli.logging;

import io.penstock.gateway.config.LogConfig;
import java.io.PrintWriter;
import java.util.ResourceBundle;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Makes every logger of the process write one line an event to standard error. */
public final class LogSetup {
    private static final int RESET_MILLIS_MAX = 500;

    /**
     * Held, because the logging system forgets a logger that nobody holds, and its level with it.
     */
    private static final Logger ROOT = Logger.getLogger("");

    /** Says in every start what a server of the framework supports; nobody can act on it. */
    private static final Logger FRAMEWORK = Logger.getLogger("io.helidon");

    private LogSetup() {}

    /** Only warnings and errors, for commands. */
    public static void forCommands(PrintWriter to) {
        install(new LogConfig(LogConfig.Format.TEXT, System.Logger.Level.WARNING), to);
    }

    /** As the configuration says. */
    public static void install(LogConfig config, PrintWriter to) {
        LogManager.getLogManager().reset();
        ROOT.addHandler(handler(config.format(), to));
        ROOT.setLevel(level(config.level()));
        if (config.level().getSeverity() >= System.Logger.Level.INFO.getSeverity()) {
            FRAMEWORK.setLevel(Level.WARNING);
        }
    }

    /**
     * Keeps the log alive in a shutdown hook. The JDK takes the handlers away in a hook of its own,
     * which runs beside ours, and the lines of a drain would be lost: wait for that, then put ours
     * back.
     */
    public static void surviveShutdown(LogConfig config, PrintWriter to)
            throws InterruptedException {
        for (int waited = 0; waited < RESET_MILLIS_MAX && ROOT.getHandlers().length > 0; waited++) {
            Thread.sleep(1);
        }
        if (ROOT.getHandlers().length == 0) {
            ROOT.addHandler(handler(config.format(), to));
            ROOT.setLevel(level(config.level()));
        }
    }

    private static Handler handler(LogConfig.Format format, PrintWriter to) {
        Formatter formatter = formatter(format);
        return new Handler() {
            @Override
            public void publish(LogRecord event) {
                if (isLoggable(event)) {
                    String line = formatter.format(event);
                    synchronized (to) {
                        to.println(line);
                        to.flush();
                    }
                }
            }

            @Override
            public void flush() {
                to.flush();
            }

            @Override
            public void close() {
                to.flush();
            }
        };
    }

    private static Formatter formatter(LogConfig.Format format) {
        return new Formatter() {
            @Override
            public String format(LogRecord event) {
                LogLine line =
                        new LogLine(
                                event.getInstant(),
                                name(event.getLevel()),
                                String.valueOf(event.getLoggerName()),
                                message(event),
                                event.getThrown());
                return format == LogConfig.Format.JSON ? line.json() : line.text();
            }

            /** {@code System.Logger} formats parameters itself; others leave it to us. */
            private String message(LogRecord event) {
                ResourceBundle bundle = event.getResourceBundle();
                return event.getParameters() == null && bundle == null
                        ? String.valueOf(event.getMessage())
                        : formatMessage(event);
            }
        };
    }

    private static String name(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) return "ERROR";
        if (value >= Level.WARNING.intValue()) return "WARNING";
        if (value >= Level.INFO.intValue()) return "INFO";
        return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
    }

    private static Level level(System.Logger.Level level) {
        return switch (level) {
            case ALL, TRACE -> Level.FINER;
            case DEBUG -> Level.FINE;
            case INFO -> Level.INFO;
            case WARNING -> Level.WARNING;
            case ERROR -> Level.SEVERE;
            case OFF -> Level.OFF;
        };
    }
}

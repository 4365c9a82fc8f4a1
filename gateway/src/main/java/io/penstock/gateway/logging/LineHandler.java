package io.penstock.gateway.logging;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.ErrorManager;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogRecord;

/** Writes each line with one system call, so that lines of two processes never mix. */
final class LineHandler extends Handler {
    private final OutputStream out;

    LineHandler(OutputStream out, Formatter formatter) {
        this.out = out;
        setFormatter(formatter);
    }

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        try {
            out.write(line(record).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            reportError(null, e, ErrorManager.WRITE_FAILURE);
        }
    }

    /** A line that cannot be made must not end the work that it tells about. */
    private String line(LogRecord record) {
        try {
            return getFormatter().format(record);
        } catch (RuntimeException e) {
            return "event=log-failed reason=" + e.getClass().getName() + "\n";
        }
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() {
        // Standard error is not ours to close.
    }
}

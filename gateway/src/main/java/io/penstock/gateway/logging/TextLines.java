package io.penstock.gateway.logging;

import java.time.temporal.ChronoUnit;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/** {@code 2026-12-01T03:04:05.678Z INFO event=circuit server=files from=closed to=open}. */
final class TextLines extends Formatter {
    @Override
    public String format(LogRecord record) {
        Event event = Event.of(record);
        StringBuilder line = new StringBuilder(160);
        line.append(record.getInstant().truncatedTo(ChronoUnit.MILLIS));
        line.append(' ').append(Event.level(record.getLevel()));
        for (Event.Field field : event.fields()) {
            pair(line, field.name(), field.value());
        }
        pair(line, "failure", event.failure());
        pair(line, "trace", event.trace());
        return line.append('\n').toString();
    }

    private static void pair(StringBuilder line, String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        line.append(' ').append(name).append('=');
        if (plain(value)) {
            line.append(value);
        } else {
            line.append('"');
            Escapes.append(line, value);
            line.append('"');
        }
    }

    private static boolean plain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c <= ' ' || c == '"' || c == '\\' || Escapes.unprintable(c)) {
                return false;
            }
        }
        return !value.isEmpty();
    }
}

package io.penstock.gateway.logging;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/**
 * What one log record says, as names and values.
 *
 * <p>A message of ours begins with {@code event=} and is {@code key=value} pairs, values in double
 * quotes where they have blanks. Its parameters are put in <em>after</em> it was taken apart, so
 * that no value, whoever chose it, can become a pair, a line, or a number with separators.
 */
record Event(List<Field> fields, @Nullable String failure, @Nullable String trace) {

    record Field(String name, String value) {}

    private static final int TRACE_CHARS_MAX = 8 * 1024;
    private static final int CAUSES_MAX = 8;

    static Event of(LogRecord record) {
        String message = record.getMessage() == null ? "" : record.getMessage();
        @Nullable Object[] parameters = record.getParameters();
        List<Field> fields = new ArrayList<>();
        if (!message.startsWith("event=") || !pairs(message, parameters, fields)) {
            fields.clear();
            fields.add(new Field("event", "log"));
            fields.add(new Field("logger", String.valueOf(record.getLoggerName())));
            fields.add(new Field("message", fill(message, parameters)));
        }
        Throwable thrown = record.getThrown();
        if (thrown == null) {
            return new Event(fields, null, null);
        }
        boolean whole = record.getLevel().intValue() >= Level.SEVERE.intValue();
        return new Event(fields, causes(thrown), whole ? trace(thrown) : null);
    }

    private static boolean pairs(
            String message, @Nullable Object @Nullable [] parameters, List<Field> into) {
        int at = 0;
        while (at < message.length()) {
            if (message.charAt(at) == ' ') {
                at++;
                continue;
            }
            int equals = message.indexOf('=', at);
            if (equals <= at || !name(message, at, equals)) {
                return false;
            }
            int end = end(message, equals + 1);
            if (end < 0) {
                return false;
            }
            boolean quoted = end > equals + 2 && message.charAt(equals + 1) == '"';
            String value =
                    quoted
                            ? message.substring(equals + 2, end - 1)
                            : message.substring(equals + 1, end);
            into.add(new Field(message.substring(at, equals), fill(value, parameters)));
            at = end;
        }
        return true;
    }

    private static boolean name(String message, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = message.charAt(i);
            if (!(Character.isLetterOrDigit(c) || "-_.[]*".indexOf(c) >= 0)) {
                return false;
            }
        }
        return true;
    }

    /** Where the value ends that begins there, its closing quote included; -1 if never. */
    private static int end(String message, int from) {
        if (from < message.length() && message.charAt(from) == '"') {
            for (int i = from + 1; i < message.length(); i++) {
                boolean last = i + 1 == message.length() || message.charAt(i + 1) == ' ';
                if (message.charAt(i) == '"' && last) {
                    return i + 1;
                }
            }
            return -1;
        }
        int blank = message.indexOf(' ', from);
        return blank < 0 ? message.length() : blank;
    }

    /** Puts parameters in for {@code {0}} and so on, as they are. */
    private static String fill(String text, @Nullable Object @Nullable [] parameters) {
        if (parameters == null || parameters.length == 0 || text.indexOf('{') < 0) {
            return text;
        }
        StringBuilder filled = new StringBuilder(text.length() + 32);
        int at = 0;
        while (at < text.length()) {
            int close = text.charAt(at) == '{' ? text.indexOf('}', at) : -1;
            int index = close < 0 ? -1 : index(text, at + 1, close);
            if (index >= 0 && index < parameters.length) {
                filled.append(parameters[index]);
                at = close + 1;
            } else {
                filled.append(text.charAt(at++));
            }
        }
        return filled.toString();
    }

    private static int index(String text, int from, int to) {
        if (to - from < 1 || to - from > 2) {
            return -1;
        }
        int index = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            index = index * 10 + digit;
        }
        return index;
    }

    private static String causes(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Throwable each = thrown;
        for (int i = 0; each != null && i < CAUSES_MAX; i++, each = each.getCause()) {
            text.append(i == 0 ? "" : ": ").append(each);
        }
        return text.toString();
    }

    private static String trace(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        Throwable each = thrown;
        for (int i = 0; each != null && i < CAUSES_MAX; i++, each = each.getCause()) {
            text.append(i == 0 ? "" : "caused by ").append(each).append('\n');
            for (StackTraceElement frame : each.getStackTrace()) {
                text.append("  at ").append(frame).append('\n');
                if (text.length() > TRACE_CHARS_MAX) {
                    return text.substring(0, TRACE_CHARS_MAX);
                }
            }
        }
        return text.toString();
    }

    /** The level in our words. */
    static String level(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return "ERROR";
        }
        if (value >= Level.WARNING.intValue()) {
            return "WARNING";
        }
        if (value >= Level.INFO.intValue()) {
            return "INFO";
        }
        return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
    }
}

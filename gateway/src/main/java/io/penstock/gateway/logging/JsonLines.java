package io.penstock.gateway.logging;

import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Set;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;

/** The same fields as {@link TextLines}, as one JSON object a line; every value is a string. */
final class JsonLines extends Formatter {
    @Override
    public String format(LogRecord record) {
        Event event = Event.of(record);
        StringBuilder line = new StringBuilder(200);
        Set<String> names = new HashSet<>();
        line.append('{');
        member(line, names, "time", record.getInstant().truncatedTo(ChronoUnit.MILLIS).toString());
        member(line, names, "level", Event.level(record.getLevel()));
        for (Event.Field field : event.fields()) {
            member(line, names, field.name(), field.value());
        }
        member(line, names, "failure", event.failure());
        member(line, names, "trace", event.trace());
        return line.append("}\n").toString();
    }

    /** A name that is there already gets an underscore: a JSON object has each name once. */
    private static void member(
            StringBuilder line, Set<String> names, String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        String free = name;
        while (!names.add(free)) {
            free += "_";
        }
        line.append(names.size() == 1 ? "\"" : ",\"").append(free).append("\":\"");
        Escapes.append(line, value);
        line.append('"');
    }
}

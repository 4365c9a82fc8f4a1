package io.penstock.cli.logging;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One event as one line.
 *
 * @param message an event's name and {@code key=value} pairs, or a sentence
 */
record LogLine(
        Instant at, String level, String logger, String message, @Nullable Throwable thrown) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern PAIR =
            Pattern.compile("(?:^|\\s)([A-Za-z][A-Za-z0-9_.-]*)=(\"[^\"]*\"|\\S*)");
    private static final int THROWN_CHARACTERS_MAX = 8_000;

    /** For people: time, level, logger, message. */
    String text() {
        return "%s %-7s %s %s%s"
                .formatted(
                        at,
                        level,
                        logger,
                        oneLine(message),
                        thrown == null ? "" : " thrown=\"" + oneLine(trace(thrown)) + "\"");
    }

    /** For machines: the pairs of the message are fields of their own. */
    String json() {
        ObjectNode line = JSON.createObjectNode();
        line.put("at", at.toString()).put("level", level).put("logger", logger);
        line.put("message", message);
        Matcher pair = PAIR.matcher(message);
        while (pair.find()) {
            String value = pair.group(2);
            boolean quoted = value.length() > 1 && value.startsWith("\"");
            if (!line.has(pair.group(1))) {
                line.put(pair.group(1), quoted ? value.substring(1, value.length() - 1) : value);
            }
        }
        if (thrown != null) {
            line.put("thrown", trace(thrown));
        }
        try {
            return JSON.writeValueAsString(line);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("text is always JSON", e);
        }
    }

    private static String oneLine(String text) {
        return text.replace("\r", "").replace("\n", "\\n").replace("\t", " ");
    }

    private static String trace(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace, true));
        String all = trace.toString().strip();
        return all.length() <= THROWN_CHARACTERS_MAX
                ? all
                : all.substring(0, THROWN_CHARACTERS_MAX);
    }
}

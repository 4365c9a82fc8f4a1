package io.penstock.gateway.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One thing that is wrong with a configuration file.
 *
 * @param file as the operator named it
 * @param line from 1; 0 where the whole file is meant
 * @param column from 1; 0 where the whole file is meant
 * @param message what was found, what is expected, and what to do
 */
public record Problem(String file, int line, int column, String message)
        implements Comparable<Problem> {

    /** A file's control characters must not reach a terminal. */
    public Problem {
        message = CONTROL.matcher(message).replaceAll(each -> escaped(each.group()));
    }

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private static String escaped(String control) {
        return Matcher.quoteReplacement("\\u%04x".formatted((int) control.charAt(0)));
    }

    /** {@code file:line:column: message}, the form that editors can jump to. */
    @Override
    public String toString() {
        return line == 0
                ? file + ": " + message
                : file + ":" + line + ":" + column + ": " + message;
    }

    /** By place in the file. */
    @Override
    public int compareTo(Problem other) {
        int byLine = Integer.compare(line, other.line);
        if (byLine != 0) {
            return byLine;
        }
        int byColumn = Integer.compare(column, other.column);
        return byColumn != 0 ? byColumn : message.compareTo(other.message);
    }
}

package io.penstock.gateway.config;

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

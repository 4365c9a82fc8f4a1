package io.penstock.cli.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.Console;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;

/**
 * Where a command writes: results to standard output, everything else to standard error.
 *
 * @param color whether styles show
 */
public record Terminal(PrintWriter out, PrintWriter err, boolean color) {
    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** The process's own; colours where a person looks on and {@code NO_COLOR} is not set. */
    public static Terminal system(Map<String, String> environment) {
        Console console = System.console();
        boolean person = console != null && console.isTerminal();
        boolean plain =
                !environment.getOrDefault("NO_COLOR", "").isEmpty()
                        || environment.getOrDefault("TERM", "dumb").equals("dumb");
        Charset charset = console == null ? Charset.defaultCharset() : console.charset();
        return new Terminal(
                new PrintWriter(System.out, true, charset),
                new PrintWriter(System.err, true, charset),
                person && !plain);
    }

    /** Prints a line of the result at once. */
    public void line(String text) {
        out.println(text);
        out.flush();
    }

    /** Prints a line that is not part of the result. */
    public void note(String text) {
        err.println(text);
        err.flush();
    }

    /** Prints maps, lists and records of them as JSON. */
    public void json(Object value) {
        try {
            line(JSON.writeValueAsString(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("only plain values are printed", e);
        }
    }

    public String styled(Style style, String text) {
        return color ? style.code() + text + Style.RESET : text;
    }
}

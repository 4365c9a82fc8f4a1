package io.penstock.gateway.config;

import io.penstock.gateway.config.YamlNode.Place;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the reading of one file gathers. Not for more than one thread. */
final class ReadContext {
    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{([^}]*)\\}?");
    private static final Pattern VARIABLE = Pattern.compile("ENV:([A-Za-z_][A-Za-z0-9_]*)");

    private final String file;
    private final Path folder;
    private final Function<String, @Nullable String> environment;
    private final boolean local;
    private final List<Problem> problems = new ArrayList<>();
    private final SequencedMap<String, String> effective = new LinkedHashMap<>();
    private final Set<String> asked = new LinkedHashSet<>();

    /**
     * @param local this machine is where the configuration will run: its files and variables must
     *     be there
     */
    ReadContext(
            String file,
            Path folder,
            Function<String, @Nullable String> environment,
            boolean local) {
        this.file = file;
        this.folder = folder;
        this.environment = environment;
        this.local = local;
    }

    void problem(Place place, String message) {
        problems.add(new Problem(file, place.line(), place.column(), message));
    }

    List<Problem> problems() {
        return problems;
    }

    boolean local() {
        return local;
    }

    Path resolve(String path) {
        return folder.resolve(path).normalize();
    }

    void effective(String label, String value) {
        effective.put(label, value);
    }

    SequencedMap<String, String> effective() {
        return effective;
    }

    void asked(String keyPath) {
        asked.add(keyPath);
    }

    /** Every key of the table that the reader looked for. */
    Set<String> asked() {
        return asked;
    }

    @Nullable String variable(String name) {
        return environment.apply(name);
    }

    /**
     * The text with variables put in, or null: reported, unless the variable is another machine's.
     */
    @Nullable String expand(String raw, Place place, String label) {
        Matcher matcher = EXPRESSION.matcher(raw);
        StringBuilder expanded = new StringBuilder();
        boolean good = true;
        while (matcher.find()) {
            String value = valueOf(matcher.group(1), place, label);
            good &= value != null;
            matcher.appendReplacement(
                    expanded, Matcher.quoteReplacement(value == null ? "" : value));
        }
        matcher.appendTail(expanded);
        return good ? expanded.toString() : null;
    }

    private @Nullable String valueOf(String expression, Place place, String label) {
        Matcher variable = VARIABLE.matcher(expression);
        if (!variable.matches()) {
            problem(place, label + ": only ${ENV:NAME} is put in, not ${" + expression + "}");
            return null;
        }
        String value = environment.apply(variable.group(1));
        if (value == null && local) {
            problem(place, label + ": environment variable " + variable.group(1) + " is not set");
        }
        return value;
    }
}

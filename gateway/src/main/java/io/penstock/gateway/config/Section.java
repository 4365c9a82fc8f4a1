package io.penstock.gateway.config;

import io.penstock.gateway.config.ValueType.Choice;
import io.penstock.gateway.config.ValueType.Hidden;
import io.penstock.gateway.config.ValueType.Size;
import io.penstock.gateway.config.ValueType.Span;
import io.penstock.gateway.config.ValueType.Text;
import io.penstock.gateway.config.ValueType.Whole;
import io.penstock.gateway.config.ValueType.WrittenFile;
import io.penstock.gateway.config.YamlNode.Entry;
import io.penstock.gateway.config.YamlNode.Mapping;
import io.penstock.gateway.config.YamlNode.Place;
import io.penstock.gateway.config.YamlNode.Scalar;
import io.penstock.gateway.config.YamlNode.Sequence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One object of the configuration, read key by key. A key that is missing gives the fallback of
 * {@link ConfigKeys}; one that is wrong is reported, and gives the fallback too, so that reading
 * goes on and finds the next problem.
 */
final class Section {
    private final ReadContext context;
    private final String path;
    private String label;
    private final Place place;
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final Set<String> wrong = new HashSet<>();

    private Section(ReadContext context, String path, String label, Place place) {
        this.context = context;
        this.path = path;
        this.label = label;
        this.place = place;
    }

    /** The whole document. */
    static Section root(ReadContext context, @Nullable YamlNode node) {
        Section root = new Section(context, "", "", Place.WHOLE_FILE);
        if (node != null) {
            root.fill(node, "the configuration");
        }
        return root;
    }

    private void fill(YamlNode node, String name) {
        if (!(node instanceof Mapping mapping)) {
            context.problem(node.place(), name + " must be an object of keys and values");
            return;
        }
        List<String> valid = ConfigKeys.below(path);
        boolean free = valid.contains("*");
        for (Entry entry : mapping.entries()) {
            String key = entry.key().text();
            if (free || valid.contains(key)) {
                entries.put(key, entry);
            } else {
                context.problem(entry.key().place(), unknown(key, valid));
            }
        }
    }

    private String unknown(String key, List<String> valid) {
        String where = path.isEmpty() ? "" : " in " + label;
        Optional<String> nearest = Nearest.to(key, valid);
        return "unknown key "
                + key
                + where
                + nearest.map(word -> ": did you mean " + word + "?")
                        .orElse("; valid here: " + String.join(", ", valid));
    }

    /** Names the section after what it holds, in messages and in the effective configuration. */
    void rename(String newLabel) {
        label = newLabel;
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    /**
     * Whether none of the keys was found wrong, so that a relation between them means something.
     */
    boolean sound(String... names) {
        return List.of(names).stream().noneMatch(wrong::contains);
    }

    /** Reports a problem at a key's value, or at the section where the key is missing. */
    void problem(String name, String message) {
        Entry entry = entries.get(name);
        wrong.add(name);
        context.problem(entry == null ? place : entry.value().place(), message);
    }

    String label(String name) {
        return label.isEmpty() ? name : label + "." + name;
    }

    private ConfigKey key(String name) {
        ConfigKey key = ConfigKeys.at(path.isEmpty() ? name : path + "." + name);
        context.asked(key.path());
        return key;
    }

    /** The object below a key; an empty one where it is missing. */
    Section section(String name) {
        ConfigKey key = key(name);
        Entry entry = entries.get(name);
        Place at = entry == null ? place : entry.value().place();
        Section below = new Section(context, key.path(), label(name), at);
        if (entry != null && present(name, entry.value())) {
            below.fill(entry.value(), label(name));
        }
        return below;
    }

    /** The key's value if it is written as one word instead of an object. */
    boolean isScalar(String name) {
        Entry entry = entries.get(name);
        return entry != null && entry.value() instanceof Scalar;
    }

    /** The objects of a list. */
    List<Section> sections(String name) {
        ConfigKey key = key(name);
        List<Section> sections = new ArrayList<>();
        for (YamlNode item : items(name)) {
            String itemLabel = label(name) + "[" + sections.size() + "]";
            Section below = new Section(context, key.path() + "[]", itemLabel, item.place());
            below.fill(item, itemLabel);
            sections.add(below);
        }
        return sections;
    }

    /** The words of a list, each of the form that the table says; twice the same is a problem. */
    List<String> words(String name) {
        key(name);
        ConfigKey item = key(name + "[]");
        List<String> words = new ArrayList<>();
        for (YamlNode node : items(name)) {
            Value value = value(name, item, node);
            if (value != null && fits(name, item, value)) {
                if (words.contains(value.text)) {
                    context.problem(
                            value.place, label(name) + ": " + value.raw + " is there twice");
                    wrong.add(name);
                }
                words.add(value.text);
            }
        }
        context.effective(label(name), "[" + String.join(",", words) + "]");
        return words;
    }

    private List<YamlNode> items(String name) {
        Entry entry = entries.get(name);
        if (entry == null || !present(name, entry.value())) {
            return List.of();
        }
        if (entry.value() instanceof Sequence sequence) {
            return sequence.items();
        }
        problem(name, label(name) + " must be a list");
        return List.of();
    }

    /** Names and values of an object with free names; values are secrets. */
    Map<String, Secret> secrets() {
        ConfigKey key = key("*");
        Map<String, Secret> secrets = new LinkedHashMap<>();
        for (Entry entry : entries.values()) {
            String name = entry.key().text();
            Value value = value(name, key, entry.value());
            if (value != null) {
                secrets.put(name, new Secret(value.text));
                context.effective(label(name), Secret.MASK);
            }
        }
        return secrets;
    }

    Place placeOf(String name) {
        Entry entry = entries.get(name);
        return entry == null ? place : entry.key().place();
    }

    /** The text at a key, or the table's fallback, or null where there is neither. */
    @Nullable String text(String name) {
        ConfigKey key = key(name);
        Value value = value(name, key);
        String text = value != null && fits(name, key, value) ? value.text : fallback(key);
        if (text != null) {
            context.effective(label(name), shown(key, value, text));
        }
        return text;
    }

    /** The text at a key that must be there; empty after reporting that it is not. */
    String required(String name) {
        requirePresence(name);
        String text = text(name);
        return text == null ? "" : text;
    }

    /** Reports a key that is missing, if this file is to be complete. */
    void requirePresence(String name) {
        if (!has(name)) {
            problem(name, label(name) + " is missing");
        }
    }

    @Nullable Secret secret(String name) {
        String text = text(name);
        return text == null ? null : new Secret(text);
    }

    Duration span(String name) {
        ConfigKey key = key(name);
        Span type = (Span) key.type();
        OptionalLong nanos = number(name, "a duration such as 250ms, 30s, 24h", Quantity::nanos);
        long value = bounded(name, nanos, nanosOf(type.least()), nanosOf(type.most()));
        Duration duration = Duration.ofNanos(value);
        context.effective(label(name), Quantity.show(duration));
        return duration;
    }

    int size(String name) {
        ConfigKey key = key(name);
        Size type = (Size) key.type();
        OptionalLong bytes = number(name, "a size such as 32KiB, 4MiB", Quantity::bytes);
        long value = bounded(name, bytes, bytesOf(type.least()), bytesOf(type.most()));
        context.effective(label(name), Quantity.showBytes(value));
        return Math.toIntExact(value);
    }

    long whole(String name) {
        ConfigKey key = key(name);
        Whole type = (Whole) key.type();
        OptionalLong number = number(name, "a whole number", Section::wholeNumber);
        long value = bounded(name, number, type.least(), type.most());
        context.effective(label(name), Long.toString(value));
        return value;
    }

    /** The word at a key, one of the table's. */
    String choice(String name) {
        String word = text(name);
        return word == null ? ((Choice) key(name).type()).words().getFirst() : word;
    }

    boolean flag(String name) {
        return choice(name).equals("true");
    }

    @Nullable Path file(String name) {
        ConfigKey key = key(name);
        String text = text(name);
        if (text == null) {
            return null;
        }
        Path file = context.resolve(text);
        if (context.local()) {
            checkFile(name, key, file);
        }
        return file;
    }

    private void checkFile(String name, ConfigKey key, Path file) {
        if (key.type() instanceof WrittenFile) {
            Path folder = file.toAbsolutePath().getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                problem(name, label(name) + ": there is no folder " + folder);
            }
        } else if (!Files.isRegularFile(file) && !Files.isReadable(file)) {
            problem(name, label(name) + ": there is no file " + file);
        } else if (!Files.isReadable(file)) {
            problem(name, label(name) + ": file " + file + " cannot be read by this user");
        }
    }

    /** A value as it was written and with variables put in. */
    private record Value(String raw, String text, Place place) {}

    private @Nullable Value value(String name, ConfigKey key) {
        Entry entry = entries.get(name);
        return entry == null ? null : value(name, key, entry.value());
    }

    private @Nullable Value value(String name, ConfigKey key, YamlNode node) {
        if (!present(name, node)) {
            return null;
        }
        if (!(node instanceof Scalar scalar)) {
            wrong.add(name);
            context.problem(node.place(), label(name) + " must be " + plain(key));
            return null;
        }
        String text = context.expand(scalar.text(), scalar.place(), label(name));
        if (text == null) {
            wrong.add(name);
            return null;
        }
        return new Value(scalar.text(), text, scalar.place());
    }

    private boolean present(String name, YamlNode node) {
        if (node instanceof Scalar scalar && scalar.absent()) {
            wrong.add(name);
            context.problem(
                    node.place(), label(name) + " has no value: give it one or drop the key");
            return false;
        }
        return true;
    }

    private boolean fits(String name, ConfigKey key, Value value) {
        boolean fits =
                switch (key.type()) {
                    case Choice choice -> choice.words().contains(value.text);
                    case Text text -> text.pattern().matcher(value.text).matches();
                    default -> true;
                };
        if (!fits) {
            wrong.add(name);
            context.problem(value.place, misfit(name, key, value));
        }
        return fits;
    }

    /** Shows what was written, never what a variable holds: that may be a secret. */
    private String misfit(String name, ConfigKey key, Value value) {
        String found = label(name) + ": " + value.raw;
        return key.type() instanceof Choice choice
                ? found + " is not known to this version" + expected(value.raw, choice)
                : found + " is not " + plain(key);
    }

    private static String expected(String raw, Choice choice) {
        String words = String.join(" or ", choice.words());
        return Nearest.to(raw, choice.words())
                .map(word -> ": did you mean " + word + "?")
                .orElse(": expected " + words);
    }

    private interface Measure {
        OptionalLong read(String text);
    }

    private OptionalLong number(String name, String form, Measure measure) {
        ConfigKey key = key(name);
        Value value = value(name, key);
        if (value != null) {
            OptionalLong number = measure.read(value.text);
            if (number.isPresent()) {
                return number;
            }
            wrong.add(name);
            context.problem(value.place, label(name) + ": " + value.raw + " is not " + form);
        }
        String fallback = fallback(key);
        return fallback == null ? OptionalLong.empty() : measure.read(fallback);
    }

    /** The number within its bounds; the least where there is none. */
    private long bounded(String name, OptionalLong number, long least, long most) {
        long value = number.orElse(least);
        if (value < least || value > most) {
            problem(name, label(name) + " must be " + plain(key(name)));
            return least;
        }
        return value;
    }

    private static String shown(ConfigKey key, @Nullable Value value, String text) {
        if (key.type() instanceof Hidden) {
            return Secret.MASK;
        }
        return value != null && !value.raw.equals(value.text) ? value.raw : Masking.url(text);
    }

    private static @Nullable String fallback(ConfigKey key) {
        return key.fallback().isEmpty() ? null : key.fallback();
    }

    private static String plain(ConfigKey key) {
        return key.type().describe().replace("`", "");
    }

    private static OptionalLong wholeNumber(String text) {
        return text.matches("0|[1-9][0-9]{0,17}")
                ? OptionalLong.of(Long.parseLong(text))
                : OptionalLong.empty();
    }

    private static long nanosOf(String text) {
        return Quantity.nanos(text).orElseThrow();
    }

    private static long bytesOf(String text) {
        return Quantity.bytes(text).orElseThrow();
    }
}

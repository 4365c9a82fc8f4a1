package io.penstock.gateway.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a list of those who know a secret, {@code - { id, sha256, ... }}, in YAML or JSON. Scalars
 * are taken as text, so that a digest of digits stays a digest. Ids and digests stand once each.
 *
 * <p><b>Failure.</b> {@link IllegalArgumentException} naming the line of the first fault, and no
 * value but an id: what stands in such a file by mistake may be the secret itself.
 */
public final class SecretList {
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private final String noun;
    private final Set<String> names;
    private final int most;

    /**
     * @param noun what one entry is called
     * @param more the fields of an entry besides {@code id} and {@code sha256}
     * @param most entries
     */
    public SecretList(String noun, Set<String> more, int most) {
        this.noun = noun;
        names = new HashSet<>(more);
        names.addAll(List.of("id", "sha256"));
        this.most = most;
    }

    /**
     * One that knows a secret.
     *
     * @param line where it stands
     * @param sha256 64 hexadecimal digits in lower case
     */
    public record Entry(int line, String id, String sha256, Map<String, String> fields) {
        public Entry {
            fields = Map.copyOf(fields);
        }

        /** The value of one of the other fields. */
        public String field(String name) {
            return fields.getOrDefault(name, "");
        }

        public IllegalArgumentException fault(String what) {
            return new IllegalArgumentException("line " + line + ": " + what);
        }
    }

    /** The entries in the file's order; none where it is empty. */
    public List<Entry> read(String text) {
        LoadSettings settings =
                LoadSettings.builder()
                        .setMaxAliasesForCollections(0)
                        .setCodePointLimit(text.length() + 1)
                        .build();
        try {
            Optional<Node> root = new Compose(settings).composeString(text);
            return root.isEmpty() ? List.of() : entries(root.get());
        } catch (MarkedYamlEngineException e) {
            Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
            throw new IllegalArgumentException("line " + line(mark) + ": not YAML", e);
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException("not YAML", e);
        }
    }

    private List<Entry> entries(Node root) {
        if (!(root instanceof SequenceNode list)) {
            throw fault(root, "a list is expected, each a " + noun);
        }
        if (list.getValue().size() > most) {
            throw fault(root, "more than " + most + " entries");
        }
        List<Entry> entries = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> digests = new HashSet<>();
        for (Node item : list.getValue()) {
            Entry entry = entry(item);
            if (!ids.add(entry.id())) {
                throw entry.fault("the id " + entry.id() + " stands twice");
            }
            if (!digests.add(entry.sha256())) {
                throw entry.fault("the " + noun + " of " + entry.id() + " stands twice");
            }
            entries.add(entry);
        }
        return List.copyOf(entries);
    }

    private Entry entry(Node item) {
        Map<String, String> fields = fields(item);
        if (!fields.keySet().equals(names)) {
            throw fault(
                    item, "a " + noun + " has exactly " + String.join(", ", new TreeSet<>(names)));
        }
        String id = fields.getOrDefault("id", "");
        if (!ID.matcher(id).matches()) {
            throw fault(item, "an id is 1 to 128 of A-Z a-z 0-9 . _ -");
        }
        String digest = fields.getOrDefault("sha256", "").toLowerCase(Locale.ROOT);
        if (!SHA256.matcher(digest).matches()) {
            throw fault(item, "sha256 of " + id + " is 64 hex digits");
        }
        return new Entry(line(item.getStartMark()), id, digest, fields);
    }

    private Map<String, String> fields(Node item) {
        if (!(item instanceof MappingNode mapping)) {
            throw fault(item, "a " + noun + " is a mapping");
        }
        Map<String, String> fields = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode name)
                    || !(tuple.getValueNode() instanceof ScalarNode value)) {
                throw fault(item, "a " + noun + " has text fields only");
            }
            if (fields.put(name.getValue(), value.getValue()) != null) {
                throw fault(item, "a field stands twice");
            }
        }
        return fields;
    }

    private static IllegalArgumentException fault(Node at, String what) {
        return new IllegalArgumentException("line " + line(at.getStartMark()) + ": " + what);
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(Mark::getLine).orElse(0) + 1;
    }
}

package io.penstock.gateway.identity;

import io.penstock.cluster.control.AgentKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads the list {@code - { id, sha256, tenant, agent }}. Scalars are taken as text, so that a
 * digest of digits stays a digest.
 */
final class KeysYaml {
    private static final Set<String> KEYS = Set.of("id", "sha256", "tenant", "agent");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    private KeysYaml() {}

    /**
     * @throws KeysFileException naming the line of the first fault
     */
    static List<AgentKey> read(String text) {
        LoadSettings settings =
                LoadSettings.builder()
                        .setMaxAliasesForCollections(0)
                        .setCodePointLimit(text.length() + 1)
                        .build();
        try {
            Optional<Node> root = new Compose(settings).composeString(text);
            return root.isEmpty() ? List.of() : keys(root.get());
        } catch (YamlEngineException e) {
            throw new KeysFileException("not YAML: " + e.getMessage(), e);
        }
    }

    private static List<AgentKey> keys(Node root) {
        if (!(root instanceof SequenceNode list)) {
            throw fault(root, "a list of keys is expected");
        }
        List<AgentKey> keys = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> digests = new HashSet<>();
        for (Node item : list.getValue()) {
            AgentKey key = key(item);
            if (!ids.add(key.id())) {
                throw fault(item, "the id " + key.id() + " stands twice");
            }
            if (!digests.add(key.sha256())) {
                throw fault(item, "the key of " + key.id() + " stands twice");
            }
            keys.add(key);
        }
        return keys;
    }

    private static AgentKey key(Node item) {
        Map<String, String> fields = fields(item);
        if (!fields.keySet().equals(KEYS)) {
            throw fault(item, "a key has exactly id, sha256, tenant and agent");
        }
        String id = field(fields, "id");
        String digest = field(fields, "sha256").toLowerCase(java.util.Locale.ROOT);
        String tenant = field(fields, "tenant");
        String agent = field(fields, "agent");
        if (!Names.plain(id) || !Names.plain(tenant)) {
            throw fault(item, "id and tenant are names of [A-Za-z0-9._-], 1 to 128 long");
        }
        if (!Names.printable(agent)) {
            throw fault(item, "agent is printable text of 1 to 256 bytes");
        }
        if (!SHA256.matcher(digest).matches()) {
            throw fault(item, "sha256 of " + id + " is 64 hex digits");
        }
        return new AgentKey(id, digest, tenant, agent);
    }

    private static String field(Map<String, String> fields, String name) {
        return fields.getOrDefault(name, "");
    }

    private static Map<String, String> fields(Node item) {
        if (!(item instanceof MappingNode mapping)) {
            throw fault(item, "a key is a mapping");
        }
        Map<String, String> fields = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode name)
                    || !(tuple.getValueNode() instanceof ScalarNode value)) {
                throw fault(item, "a key has text fields only");
            }
            if (fields.put(name.getValue(), value.getValue()) != null) {
                throw fault(item, "the field " + name.getValue() + " stands twice");
            }
        }
        return fields;
    }

    private static KeysFileException fault(Node at, String what) {
        int line = at.getStartMark().map(Mark::getLine).orElse(0) + 1;
        return new KeysFileException("line " + line + ": " + what, null);
    }
}

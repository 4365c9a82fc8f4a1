package io.penstock.gateway.admin;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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

/** Reads the list {@code - { id, sha256, role }}, in YAML or JSON. Scalars are taken as text. */
final class TokensYaml {
    private static final Set<String> KEYS = Set.of("id", "sha256", "role");
    private static final Pattern SHA256 = Pattern.compile("[0-9a-fA-F]{64}");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,128}");
    private static final int TOKENS_MAX = 1_000;

    private TokensYaml() {}

    /**
     * @throws IllegalArgumentException naming the line of the first fault, and no value but an id
     */
    static List<AdminToken> read(String text) {
        LoadSettings settings =
                LoadSettings.builder()
                        .setMaxAliasesForCollections(0)
                        .setCodePointLimit(text.length() + 1)
                        .build();
        try {
            Optional<Node> root = new Compose(settings).composeString(text);
            return root.isEmpty() ? List.of() : tokens(root.get());
        } catch (YamlEngineException e) {
            // Its message shows the line's text, which may be a token in the clear.
            throw new IllegalArgumentException("not YAML", e);
        }
    }

    private static List<AdminToken> tokens(Node root) {
        if (!(root instanceof SequenceNode list)) {
            throw fault(root, "a list of tokens is expected");
        }
        if (list.getValue().size() > TOKENS_MAX) {
            throw fault(root, "more than " + TOKENS_MAX + " tokens");
        }
        List<AdminToken> tokens = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> digests = new HashSet<>();
        for (Node item : list.getValue()) {
            Map<String, String> fields = fields(item);
            String digest = fields.getOrDefault("sha256", "").toLowerCase(Locale.ROOT);
            AdminToken token = token(item, fields, digest);
            if (!ids.add(token.id())) {
                throw fault(item, "the id " + token.id() + " stands twice");
            }
            if (!digests.add(digest)) {
                throw fault(item, "the token of " + token.id() + " stands twice");
            }
            tokens.add(token);
        }
        return List.copyOf(tokens);
    }

    private static AdminToken token(Node item, Map<String, String> fields, String digest) {
        if (!fields.keySet().equals(KEYS)) {
            throw fault(item, "a token has exactly id, sha256 and role");
        }
        String id = fields.getOrDefault("id", "");
        if (!ID.matcher(id).matches()) {
            throw fault(item, "an id is 1 to 128 of A-Z a-z 0-9 . _ -");
        }
        if (!SHA256.matcher(digest).matches()) {
            throw fault(item, "sha256 of " + id + " is 64 hex digits");
        }
        return new AdminToken(id, digest, role(item, fields.getOrDefault("role", "")));
    }

    private static Role role(Node item, String word) {
        for (Role role : Role.values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw fault(item, "a role is view, operate or stop");
    }

    private static Map<String, String> fields(Node item) {
        if (!(item instanceof MappingNode mapping)) {
            throw fault(item, "a token is a mapping");
        }
        Map<String, String> fields = new HashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode name)
                    || !(tuple.getValueNode() instanceof ScalarNode value)) {
                throw fault(item, "a token has text fields only");
            }
            if (fields.put(name.getValue(), value.getValue()) != null) {
                throw fault(item, "a field stands twice");
            }
        }
        return fields;
    }

    private static IllegalArgumentException fault(Node at, String what) {
        int line = at.getStartMark().map(Mark::getLine).orElse(0) + 1;
        return new IllegalArgumentException("line " + line + ": " + what);
    }
}

package io.penstock.cluster.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.control.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Rules as the document of a revision: canonical, so that equal rules give equal bytes whatever
 * order their file had, and strict, so that a field that only a later version knows is an error and
 * never a limit that is left out.
 */
public final class RulesJson {
    private static final int FORMAT = 1;
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private RulesJson() {}

    /** The document; the revision's number is not part of it. */
    public static String encode(Rules rules) {
        ObjectNode root = JSON.createObjectNode();
        ArrayNode budgets = root.putArray("budgets");
        rules.budgets().all().stream()
                .sorted(Comparator.comparing(Budget::name))
                .forEach(budget -> budgets.add(budget(budget)));
        root.put("format", FORMAT);
        root.put("leaseMillis", rules.lease().toMillis());
        ObjectNode servers = root.putObject("servers");
        new TreeMap<>(rules.servers()).forEach((name, mode) -> servers.put(name, label(mode)));
        try {
            return JSON.writeValueAsString(root);
        } catch (JsonProcessingException e) {
            throw new StoreException("cannot write rules", e);
        }
    }

    private static ObjectNode budget(Budget budget) {
        ObjectNode node = JSON.createObjectNode();
        node.put("limit", budget.limit());
        node.put("mode", label(budget.mode()));
        node.put("name", budget.name());
        ArrayNode per = node.putArray("per");
        budget.per().stream().sorted().forEach(dimension -> per.add(label(dimension)));
        put(node, "server", budget.server());
        put(node, "tool", budget.tool());
        node.put("unit", label(budget.unit()));
        node.set("window", window(budget.window()));
        return node;
    }

    private static void put(ObjectNode node, String field, @Nullable String value) {
        if (value != null) {
            node.put(field, value);
        }
    }

    private static ObjectNode window(Window window) {
        ObjectNode node = JSON.createObjectNode();
        switch (window) {
            case Window.Fixed fixed -> node.put("fixedMicros", fixed.micros());
        }
        return node;
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Reads a document back, as the revision of that number. */
    public static Rules decode(long revision, String document) {
        try {
            JsonNode root = JSON.readTree(document);
            fields(root, "document", Set.of("budgets", "format", "leaseMillis", "servers"));
            if (whole(root, "format") != FORMAT) {
                throw new StoreException("format " + root.get("format") + ", this program reads 1");
            }
            return new Rules(
                    revision,
                    budgets(needed(root, "budgets")),
                    servers(needed(root, "servers")),
                    Duration.ofMillis(whole(root, "leaseMillis")));
        } catch (JsonProcessingException | IllegalArgumentException | StoreException e) {
            throw new StoreException(
                    "revision "
                            + revision
                            + " cannot be read by this version of penstock: "
                            + e.getMessage(),
                    e);
        }
    }

    private static List<Budget> budgets(JsonNode array) {
        if (!array.isArray()) {
            throw new StoreException("budgets: expected a list");
        }
        List<Budget> budgets = new ArrayList<>();
        for (JsonNode node : array) {
            budgets.add(budget(node));
        }
        return budgets;
    }

    private static Budget budget(JsonNode node) {
        fields(
                node,
                "budget",
                Set.of("limit", "mode", "name", "per", "server", "tool", "unit", "window"));
        Set<Dimension> per = EnumSet.noneOf(Dimension.class);
        for (JsonNode dimension : needed(node, "per")) {
            per.add(constant(Dimension.class, dimension.asText()));
        }
        JsonNode window = needed(node, "window");
        fields(window, "window", Set.of("fixedMicros"));
        return new Budget(
                text(node, "name"),
                constant(Unit.class, text(node, "unit")),
                whole(node, "limit"),
                new Window.Fixed(whole(window, "fixedMicros")),
                per,
                optional(node, "server"),
                optional(node, "tool"),
                constant(Mode.class, text(node, "mode")));
    }

    private static Map<String, Mode> servers(JsonNode node) {
        if (!node.isObject()) {
            throw new StoreException("servers: expected an object");
        }
        Map<String, Mode> servers = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            servers.put(entry.getKey(), constant(Mode.class, entry.getValue().asText()));
        }
        return servers;
    }

    private static void fields(JsonNode node, String what, Set<String> known) {
        if (!node.isObject()) {
            throw new StoreException(what + ": expected an object");
        }
        for (Iterator<String> names = node.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.contains(name)) {
                throw new StoreException(what + ": unknown field '" + name + "'");
            }
        }
    }

    private static JsonNode needed(JsonNode node, String field) {
        JsonNode value = node.get(field);
        if (value == null || value.isNull()) {
            throw new StoreException("field '" + field + "' is missing");
        }
        return value;
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = needed(node, field);
        if (!value.isTextual()) {
            throw new StoreException("field '" + field + "': expected text");
        }
        return value.textValue();
    }

    private static @Nullable String optional(JsonNode node, String field) {
        return node.has(field) ? text(node, field) : null;
    }

    private static long whole(JsonNode node, String field) {
        JsonNode value = needed(node, field);
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new StoreException("field '" + field + "': expected a whole number");
        }
        return value.longValue();
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String label) {
        for (E constant : type.getEnumConstants()) {
            if (label(constant).equals(label)) {
                return constant;
            }
        }
        throw new StoreException(
                "unknown " + type.getSimpleName().toLowerCase(Locale.ROOT) + " '" + label + "'");
    }
}

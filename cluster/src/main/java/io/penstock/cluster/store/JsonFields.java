package io.penstock.cluster.store;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the fields of a revision's document; what is not as expected is an error, never a guess.
 */
final class JsonFields {
    private JsonFields() {}

    /** Refuses a field that is not known: it may be a limit that only a later version reads. */
    static void known(JsonNode node, String what, Set<String> known) {
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

    static JsonNode needed(JsonNode node, String field) {
        JsonNode value = node.get(field);
        if (value == null || value.isNull()) {
            throw new StoreException("field '" + field + "' is missing");
        }
        return value;
    }

    static JsonNode list(JsonNode node, String field) {
        JsonNode value = needed(node, field);
        if (!value.isArray()) {
            throw new StoreException(field + ": expected a list");
        }
        return value;
    }

    static String text(JsonNode node, String field) {
        JsonNode value = needed(node, field);
        if (!value.isTextual()) {
            throw new StoreException("field '" + field + "': expected text");
        }
        return value.textValue();
    }

    static @Nullable String optional(JsonNode node, String field) {
        return node.has(field) ? text(node, field) : null;
    }

    static long whole(JsonNode node, String field) {
        return whole(needed(node, field), field, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    static long whole(JsonNode value, String what, long least, long most) {
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < least
                || value.longValue() > most) {
            throw new StoreException("field '" + what + "': expected a whole number");
        }
        return value.longValue();
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static <E extends Enum<E>> E constant(Class<E> type, String label) {
        for (E constant : type.getEnumConstants()) {
            if (label(constant).equals(label)) {
                return constant;
            }
        }
        throw new StoreException(
                "unknown " + type.getSimpleName().toLowerCase(Locale.ROOT) + " '" + label + "'");
    }
}

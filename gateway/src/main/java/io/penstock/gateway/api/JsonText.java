package io.penstock.gateway.api;

import java.nio.charset.StandardCharsets;

/**
 * Writes one flat JSON object after another; enough for errors and problem documents.
 *
 * <p><b>Threads.</b> One.
 */
public final class JsonText {
    private final StringBuilder text = new StringBuilder(256);
    private boolean first = true;

    public JsonText begin() {
        text.append('{');
        first = true;
        return this;
    }

    public JsonText end() {
        text.append('}');
        first = false;
        return this;
    }

    /** Begins an object as a member. */
    public JsonText begin(String key) {
        key(key);
        return begin();
    }

    public JsonText add(String key, String value) {
        key(key);
        quote(text, value);
        return this;
    }

    public JsonText add(String key, long value) {
        key(key);
        text.append(value);
        return this;
    }

    public JsonText add(String key, boolean value) {
        key(key);
        text.append(value);
        return this;
    }

    /** Adds a member whose value is JSON already. */
    public JsonText addRaw(String key, String json) {
        key(key);
        text.append(json);
        return this;
    }

    private void key(String key) {
        if (!first) {
            text.append(',');
        }
        first = false;
        text.append('"').append(key).append("\":");
    }

    /** The text as a JSON string; what cannot stand in one is escaped. */
    public static String quoted(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2);
        quote(quoted, value);
        return quoted.toString();
    }

    private static void quote(StringBuilder to, String value) {
        to.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                to.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
                to.append(String.format("\\u%04x", (int) c));
            } else {
                to.append(c);
            }
        }
        to.append('"');
    }

    public byte[] bytes() {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}

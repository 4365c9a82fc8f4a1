package io.penstock.gateway.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Header lines in order, names compared without case; free of any server's or client's types.
 *
 * <p><b>Threads.</b> Not safe for concurrent use.
 */
public final class HeaderBlock {
    private final List<String> names;
    private final List<String> values;

    public HeaderBlock() {
        names = new ArrayList<>(16);
        values = new ArrayList<>(16);
    }

    public HeaderBlock add(String name, String value) {
        names.add(name);
        values.add(value);
        return this;
    }

    /** Removes every line of that name, then adds one. */
    public HeaderBlock set(String name, String value) {
        remove(name);
        return add(name, value);
    }

    public void remove(String name) {
        for (int i = names.size() - 1; i >= 0; i--) {
            if (names.get(i).equalsIgnoreCase(name)) {
                removeAt(i);
            }
        }
    }

    /** Removes one line; those behind it move up. */
    public void removeAt(int index) {
        names.remove(index);
        values.remove(index);
    }

    /** The first value of that name. */
    public @Nullable String first(String name) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equalsIgnoreCase(name)) {
                return values.get(i);
            }
        }
        return null;
    }

    /** How many lines have that name. */
    public int count(String name) {
        int found = 0;
        for (String each : names) {
            if (each.equalsIgnoreCase(name)) {
                found++;
            }
        }
        return found;
    }

    public int size() {
        return names.size();
    }

    public String name(int index) {
        return names.get(index);
    }

    public String value(int index) {
        return values.get(index);
    }
}

package io.penstock.gateway.mcp;

import java.util.HashSet;
import java.util.Set;

/**
 * The keys of one level that say what a message is, and what is too much like them.
 *
 * <p>JSON-RPC is case-sensitive, but some readers are not (Go's, and .NET's when asked to), and
 * those fold more than ASCII: to them {@code METHOD}, {@code ſ} for {@code s} and the Kelvin sign
 * for {@code k} are the same key. A key that such a reader takes for a deciding one is refused.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class DecidingKeys {
    private final Set<String> folded = new HashSet<>();

    DecidingKeys(String... keys) {
        for (String key : keys) {
            folded.add(fold(key));
        }
    }

    /** Whether any reader would take the key for one of these. */
    boolean matches(String key) {
        return folded.contains(fold(key));
    }

    /** Upper and then lower case, character by character: at least what any reader ignores. */
    static String fold(String text) {
        StringBuilder folded = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            folded.append(Character.toLowerCase(Character.toUpperCase(text.charAt(i))));
        }
        return folded.toString();
    }
}

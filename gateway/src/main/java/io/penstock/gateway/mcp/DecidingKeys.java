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
    private final int shortest;
    private final int longest;

    DecidingKeys(String... keys) {
        int least = Integer.MAX_VALUE;
        int most = 0;
        for (String key : keys) {
            folded.add(fold(key));
            least = Math.min(least, key.length());
            most = Math.max(most, key.length());
        }
        shortest = least;
        longest = most;
    }

    /** Whether any reader would take the key for one of these. */
    boolean matches(String key) {
        // Folding goes character by character, so it changes no length.
        return key.length() >= shortest && key.length() <= longest && folded.contains(fold(key));
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

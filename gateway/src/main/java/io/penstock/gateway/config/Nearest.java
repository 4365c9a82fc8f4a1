package io.penstock.gateway.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the word that was probably meant. */
final class Nearest {
    private Nearest() {}

    /** The candidate with the fewest edits, if they are few for the word's length. */
    static Optional<String> to(String word, Collection<String> candidates) {
        int most = Math.max(2, word.length() / 3);
        return candidates.stream()
                .filter(candidate -> distance(word, candidate) <= most)
                .min(
                        Comparator.comparingInt((String candidate) -> distance(word, candidate))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /** Levenshtein distance, letter case and {@code _} for {@code -} counting nothing. */
    private static int distance(String one, String other) {
        String a = one.toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        String b = other.toLowerCase(java.util.Locale.ROOT);
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}

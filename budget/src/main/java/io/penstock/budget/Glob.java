package io.penstock.budget;

import org.jspecify.annotations.Nullable;

/** A pattern in which {@code *} stands for any run of characters, also none. */
final class Glob {
    private final String pattern;

    private Glob(String pattern) {
        this.pattern = pattern;
    }

    static @Nullable Glob of(@Nullable String pattern) {
        return pattern == null ? null : new Glob(pattern);
    }

    /** Goes back to the last star only, so the work is at most length of text times pattern. */
    boolean matches(String text) {
        int p = 0;
        int star = -1;
        int resume = 0;
        for (int t = 0; t < text.length(); ) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}

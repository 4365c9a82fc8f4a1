package io.penstock.budget;

import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A limit over a unit, a window and a scope, as a revision defines it.
 *
 * @param name unique within a revision, {@code [A-Za-z0-9._-]{1,128}}
 * @param unit what is counted
 * @param limit units per window and scope value, 0 or more
 * @param window the span the limit applies to
 * @param per the dimensions that each have a counter of their own; none = one counter for all
 * @param server glob on the server's name, or null for every server
 * @param tool glob on the tool's name, or null for every tool
 * @param mode {@link Mode#SHADOW} or {@link Mode#ENFORCE}
 */
public record Budget(
        String name,
        Unit unit,
        long limit,
        Window window,
        Set<Dimension> per,
        @Nullable String server,
        @Nullable String tool,
        Mode mode) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    /** Keeps sums of limits and amounts far from the end of {@code long}. */
    public static final long LIMIT_MAX = 1L << 53;

    public Budget {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a budget's name is 1 to 128 of A-Z a-z 0-9 . _ -, this one: " + name);
        }
        if (limit < 0 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "budget " + name + ": limit must be 0 to 2^53, is " + limit);
        }
        per = per.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(per));
    }
}

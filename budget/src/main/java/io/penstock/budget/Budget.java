package io.penstock.budget;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A limit over a unit, a window and a scope, as a revision defines it.
 *
 * @param name unique within a revision, {@code [A-Za-z0-9._-]{1,128}}
 * @param unit what is counted
 * @param limit units per window and scope value, 0 or more; per period for {@link Window.Rate}
 * @param window the span the limit applies to
 * @param per the dimensions that each have a counter of their own; none = one counter for all
 * @param server glob on the server's name, or null for every server
 * @param tool glob on the tool's name, or null for every tool
 * @param mode what comes of a call that is over
 * @param reserve what a call holds while its price is not known
 * @param unpriced what comes of a call that has no price
 * @param overrides other limits for some counters; the first that matches counts
 * @param notifyAt percent of the limit at which people are told, ascending
 */
public record Budget(
        String name,
        Unit unit,
        long limit,
        Window window,
        Set<Dimension> per,
        @Nullable String server,
        @Nullable String tool,
        Mode mode,
        Reserve reserve,
        Unpriced unpriced,
        List<LimitOverride> overrides,
        List<Integer> notifyAt) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");

    /** Sums of a limit and a batch's amounts stay within {@code long}. */
    public static final long LIMIT_MAX = 1L << 62;

    /** The largest amount of one call: a whole batch of them is 2^62. */
    public static final long AMOUNT_MAX = 1L << 52;

    public Budget {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a budget's name is 1 to 128 of A-Z a-z 0-9 . _ -, this one: " + name);
        }
        if (limit < 0 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException(
                    "budget " + name + ": limit must be 0 to 2^62, is " + limit);
        }
        if ((unit == Unit.CONCURRENCY) != (window instanceof Window.Open)) {
            throw new IllegalArgumentException(
                    "budget " + name + ": concurrency has no window, and every other unit has one");
        }
        per = dimensions(per, window);
        overrides = List.copyOf(overrides);
        notifyAt = List.copyOf(notifyAt);
    }

    /** A session's window is kept per session, said or not. */
    private static Set<Dimension> dimensions(Set<Dimension> per, Window window) {
        Set<Dimension> dimensions = EnumSet.noneOf(Dimension.class);
        dimensions.addAll(per);
        if (window instanceof Window.Session) {
            dimensions.add(Dimension.SESSION);
        }
        return Set.copyOf(dimensions);
    }

    /** With nothing out of the ordinary. */
    public Budget(
            String name,
            Unit unit,
            long limit,
            Window window,
            Set<Dimension> per,
            @Nullable String server,
            @Nullable String tool,
            Mode mode) {
        this(
                name,
                unit,
                limit,
                window,
                per,
                server,
                tool,
                mode,
                Reserve.MAX,
                Unpriced.REFUSE,
                List.of(),
                List.of());
    }

    /** The limit of this call's counter. */
    long limitFor(Subject subject) {
        for (LimitOverride override : overrides) {
            if (override.matches(subject)) {
                return override.limit();
            }
        }
        return limit;
    }
}

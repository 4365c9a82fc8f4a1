package io.penstock.budget;

/**
 * A budget at one value of its scope: what has a count of its own.
 *
 * @param key unique over all budgets and windows, see {@link CounterKey}; a shadow counter's starts
 *     with {@code shadow/}
 * @param shadow counted and reported, never limiting
 * @param limit units per window, overrides included
 */
public record Counter(String key, Budget budget, boolean shadow, long limit) {

    /** With the budget's own limit. */
    public Counter(String key, Budget budget, boolean shadow) {
        this(key, budget, shadow, budget.limit());
    }

    /** The counter of this budget for this call. */
    static Counter of(Budget budget, Subject subject, boolean shadow) {
        return new Counter(
                CounterKey.of(budget, subject, shadow), budget, shadow, budget.limitFor(subject));
    }
}

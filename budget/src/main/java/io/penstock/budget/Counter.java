package io.penstock.budget;

/**
 * A budget at one value of its scope: what has a count of its own.
 *
 * @param key unique over all budgets and windows: parts are length-prefixed; a shadow counter's
 *     starts with {@code shadow/}
 * @param shadow counted and reported, never limiting
 */
public record Counter(String key, Budget budget, boolean shadow) {}

package io.penstock.budget;

/**
 * An amount asked of one counter.
 *
 * @param amount units, 1 or more
 */
public record Charge(Counter counter, long amount) {}

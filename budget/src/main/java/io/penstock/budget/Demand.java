package io.penstock.budget;

/**
 * What a whole batch asks of one counter.
 *
 * @param wanted units, if every call of the batch were admitted
 */
public record Demand(Counter counter, long wanted) {}

package io.penstock.budget;

/**
 * Where a counter stood when a call was decided.
 *
 * @param remaining units left after the decision
 * @param endsInMicros until the window ends, by the database's clock at the decision
 */
public record Standing(Counter counter, long remaining, long endsInMicros) {}

package io.penstock.budget;

/**
 * An amount asked of one counter.
 *
 * @param amount units, 1 or more
 */
public record Charge(Counter counter, long amount) {
    public Charge {
        if (amount < 1) {
            throw new IllegalArgumentException(
                    "a charge on " + counter.key() + " must be 1 or more, is " + amount);
        }
    }
}

package io.penstock.budget;

import org.jspecify.annotations.Nullable;

/**
 * An amount asked of one counter.
 *
 * @param amount units, 1 to 2^52
 * @param price what a {@link Kind#METERED} amount is settled by; null for the others
 */
public record Charge(Counter counter, long amount, Kind kind, @Nullable Price price) {

    /** What becomes of the amount after the call. */
    public enum Kind {
        /** Spent at admission. */
        PLAIN,
        /** Held until the price is known, then settled. */
        METERED,
        /** Held until the call is over, then free again; always 1. */
        SLOT
    }

    public Charge {
        if (amount < 1 || amount > Budget.AMOUNT_MAX) {
            throw new IllegalArgumentException(
                    "a charge on %s must be 1 to 2^52, is %d".formatted(counter.key(), amount));
        }
    }

    /** Spent at admission. */
    public Charge(Counter counter, long amount) {
        this(counter, amount, Kind.PLAIN, null);
    }

    /** Whether the ledger keeps a hold for it. */
    public boolean held() {
        return kind != Kind.PLAIN;
    }
}

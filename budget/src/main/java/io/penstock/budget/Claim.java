package io.penstock.budget;

import java.util.List;

/**
 * What one call asks of its budgets; charged all or none.
 *
 * @param charges in the order of the revision's budgets
 */
public record Claim(List<Charge> charges) {

    /** Asks nothing. */
    public static final Claim NONE = new Claim(List.of());

    public Claim {
        charges = List.copyOf(charges);
    }
}

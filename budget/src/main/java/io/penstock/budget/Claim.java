package io.penstock.budget;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one call asks of its budgets; charged all or none.
 *
 * @param charges in the order of the revision's budgets
 * @param unpriced the budget that refuses the call because nothing says what it costs, or null
 */
public record Claim(List<Charge> charges, @Nullable Budget unpriced) {

    /** Asks nothing. */
    public static final Claim NONE = new Claim(List.of());

    public Claim {
        charges = List.copyOf(charges);
    }

    /** With a price for everything. */
    public Claim(List<Charge> charges) {
        this(charges, null);
    }

    /** Whether any charge is held. */
    public boolean holds() {
        for (int i = 0; i < charges.size(); i++) {
            if (charges.get(i).held()) {
                return true;
            }
        }
        return false;
    }
}

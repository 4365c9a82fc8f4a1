package io.penstock.cluster.admission;

import io.penstock.budget.Counter;
import java.util.List;

/** The door to the ledger for single calls. */
public interface Admission {

    /**
     * Decides one call; blocks the calling thread until the decision or the admission deadline.
     *
     * <p>An interrupted caller gets {@link Verdict.Unavailable} at once, with its flag still set;
     * what its call took is given back.
     */
    Verdict admit(AdmissionRequest request);

    /**
     * Returns the units of a call that was admitted and never sent, those it holds too, and
     * journals the outcome {@code not-sent} in the same transaction: the caller records no outcome
     * of its own. Does not block.
     */
    void giveBack(Verdict.Admitted admitted);

    /**
     * Ends what a call holds that was sent and is over: its slots are free again, and each metered
     * hold becomes what was spent. Does not block; does nothing for a call that holds nothing, and
     * for one that was settled or given back before.
     *
     * <p>Where the ledger cannot be told, the holds end in full at their time limit.
     *
     * @param spent what is known; a metered hold without an entry is spent in full
     */
    void settle(Verdict.Admitted admitted, List<Spent> spent);

    /**
     * What a call really cost.
     *
     * @param counter one that the call holds units of
     * @param amount 0 or more; more than 2^52 counts as 2^52
     */
    record Spent(Counter counter, long amount) {
        public Spent {
            if (amount < 0) {
                throw new IllegalArgumentException(
                        "spent on %s must be 0 or more, is %d".formatted(counter.key(), amount));
            }
        }
    }
}

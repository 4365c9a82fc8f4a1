package io.penstock.cluster.admission;

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
     * Returns the units of a call that was admitted and never sent, and journals the outcome {@code
     * not-sent} in the same transaction: the caller records no outcome of its own. Does not block.
     */
    void giveBack(Verdict.Admitted admitted);
}

package io.penstock.cluster.admission;

/** The door to the ledger for single calls. */
public interface Admission {

    /** Decides one call; blocks the calling thread until the decision or the admission deadline. */
    Verdict admit(AdmissionRequest request);

    /** Returns the units of a call that was admitted and never sent. Does not block. */
    void giveBack(Verdict.Admitted admitted);
}

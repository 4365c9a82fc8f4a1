package io.penstock.cluster.admission;

import io.penstock.budget.Standing;
import io.penstock.cluster.control.Judgement;
import java.util.List;

/** The answer to one {@link AdmissionRequest}. */
public sealed interface Verdict {

    /**
     * Charged and durably journaled.
     *
     * @param epoch the control epoch it was admitted under
     * @param admittedMicros database time, microseconds since 1970
     * @param standings one per charge of the claim
     * @param ticket what {@link Admission#giveBack} needs
     */
    record Admitted(long epoch, long admittedMicros, List<Standing> standings, Ticket ticket)
            implements Verdict {}

    /**
     * At least one budget had less left than was asked.
     *
     * @param exhausted the one that frees last
     * @param standings one per charge, where known
     */
    record Exhausted(Standing exhausted, List<Standing> standings) implements Verdict {}

    /** The control state changed while it waited, and stands against it now. */
    record Refused(Judgement judgement) implements Verdict {}

    /** The database did not decide in time, or its answer was lost. */
    record Unavailable() implements Verdict {
        static final Unavailable INSTANCE = new Unavailable();
    }

    /** The queue is full. */
    record Overloaded() implements Verdict {
        static final Overloaded INSTANCE = new Overloaded();
    }

    /** Names an admitted call to the lane that admitted it. */
    interface Ticket {}
}

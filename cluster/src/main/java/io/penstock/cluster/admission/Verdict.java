package io.penstock.cluster.admission;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Standing;
import io.penstock.budget.Unit;
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
     * @param holds charges that are held, each to be settled or given back
     * @param ticket what {@link Admission#giveBack} and {@link Admission#settle} need
     */
    record Admitted(
            long epoch,
            long admittedMicros,
            List<Standing> standings,
            List<Charge> holds,
            Ticket ticket)
            implements Verdict {

        /** Of a call that holds nothing. */
        public Admitted(long epoch, long admittedMicros, List<Standing> standings, Ticket ticket) {
            this(epoch, admittedMicros, standings, List.of(), ticket);
        }
    }

    /**
     * At least one budget had less left than was asked.
     *
     * @param exhausted the one that frees last
     * @param standings one per charge, where known
     */
    record Exhausted(Standing exhausted, List<Standing> standings) implements Verdict {

        /** Enough units would be left if calls in flight gave back what they hold. */
        public boolean onlyHeld() {
            return exhausted.held() > 0
                    && exhausted.withheld() - exhausted.remaining() <= exhausted.held();
        }

        /** As many calls are under way at once as may be. */
        public boolean concurrency() {
            return exhausted.counter().budget().unit() == Unit.CONCURRENCY;
        }
    }

    /** Nothing says what it costs of that budget, which admits no such call. */
    record Unpriced(Budget budget) implements Verdict {}

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

package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Charge;
import io.penstock.budget.Counter;
import io.penstock.budget.Group;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Standing;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the ledger's answer to a batch into the answer to each of its calls.
 *
 * <p>Calls of a group share one list of standings and refunds, except where a shadow counter ran
 * out inside the group: what is left of it goes to groups and calls in order of arrival, as the
 * ledger counts it.
 *
 * <p><b>Threads.</b> One lane's thread.
 */
final class BatchOutcome {
    private final Batch batch;
    private final Decided decided;
    private final GroupOutcome[] groups;

    /** What the calls of one group have in common; null lists are made when first asked for. */
    private static final class GroupOutcome {
        final Group group;
        final int admitted;

        /** Units that each charge took in all. */
        final long[] taken;

        final boolean holds;
        boolean uniform = true;
        @Nullable List<Standing> standings;
        @Nullable List<Refund> refunds;
        Verdict.@Nullable Exhausted exhausted;

        GroupOutcome(Group group, int admitted) {
            this.group = group;
            this.admitted = admitted;
            holds = group.holds();
            taken = new long[group.demands().length];
        }
    }

    BatchOutcome(Batch batch, Decided decided) {
        this.batch = batch;
        this.decided = decided;
        groups = new GroupOutcome[batch.groups().size()];
        long[] charged = new long[decided.levels().size()];
        for (int d = 0; d < charged.length; d++) {
            charged[d] = decided.levels().get(d).charged();
        }
        for (int g = 0; g < groups.length; g++) {
            groups[g] = new GroupOutcome(batch.groups().get(g), decided.admitted()[g]);
            share(groups[g], charged);
        }
    }

    private void share(GroupOutcome outcome, long[] charged) {
        for (int i = 0; i < outcome.taken.length; i++) {
            int demand = outcome.group.demands()[i];
            long wanted = outcome.admitted * outcome.group.amounts()[i];
            long taken = Math.min(wanted, charged[demand]);
            charged[demand] -= taken;
            outcome.taken[i] = taken;
            if (taken < wanted) {
                outcome.uniform = false;
            }
        }
    }

    boolean admitted(int call) {
        Batch.Place place = batch.places().get(call);
        return place.rank() < groups[place.group()].admitted;
    }

    /** The verdict of an admitted call; also fills in what its ticket needs. */
    Verdict admit(int call, WaitingCall ticket) {
        Batch.Place place = batch.places().get(call);
        GroupOutcome outcome = groups[place.group()];
        List<Standing> standings = outcome.standings;
        List<Refund> refunds = outcome.refunds;
        if (standings == null || refunds == null) {
            standings = standings(outcome, place.rank());
            refunds = refunds(outcome, place.rank());
            if (outcome.uniform) {
                outcome.standings = standings;
                outcome.refunds = refunds;
            }
        }
        ticket.admittedMicros = decided.atMicros();
        ticket.refunds = refunds;
        if (outcome.holds) {
            ticket.holds = holds(outcome, place.rank(), ticket.claim.charges());
        }
        return new Verdict.Admitted(
                batch.epoch(), decided.atMicros(), standings, ticket.holds, ticket);
    }

    /** By the call's own claim: calls of one group may differ in what settles them. */
    private static List<Charge> holds(GroupOutcome outcome, int rank, List<Charge> charges) {
        List<Charge> holds = new ArrayList<>(charges.size());
        for (int i = 0; i < outcome.taken.length; i++) {
            if (charges.get(i).held() && charged(outcome, i, rank) > 0) {
                holds.add(charges.get(i));
            }
        }
        return List.copyOf(holds);
    }

    /** The verdict of the calls that got nothing: one for all of their group. */
    Verdict refuse(int call) {
        GroupOutcome outcome = groups[batch.places().get(call).group()];
        if (outcome.exhausted == null) {
            outcome.exhausted = exhausted(outcome);
        }
        return outcome.exhausted;
    }

    /** Which counters were too low for a call of this batch. */
    boolean[] shortOf() {
        boolean[] shortOf = new boolean[decided.levels().size()];
        for (GroupOutcome outcome : groups) {
            for (int i = 0;
                    outcome.admitted < outcome.group.asked() && i < outcome.taken.length;
                    i++) {
                int demand = outcome.group.demands()[i];
                shortOf[demand] |= tooLow(outcome, i);
            }
        }
        return shortOf;
    }

    private List<Standing> standings(GroupOutcome outcome, int rank) {
        List<Standing> standings = new ArrayList<>(outcome.taken.length);
        for (int i = 0; i < outcome.taken.length; i++) {
            long missing = outcome.group.amounts()[i] - charged(outcome, i, rank);
            standings.add(standing(outcome, i, missing));
        }
        return standings;
    }

    private List<Refund> refunds(GroupOutcome outcome, int rank) {
        List<Refund> refunds = new ArrayList<>(outcome.taken.length);
        for (int i = 0; i < outcome.taken.length; i++) {
            long charged = charged(outcome, i, rank);
            if (charged > 0 && outcome.group.kinds()[i] == Charge.Kind.PLAIN) {
                int demand = outcome.group.demands()[i];
                refunds.add(
                        new Refund(counter(demand), decided.levels().get(demand).index(), charged));
            }
        }
        return refunds;
    }

    /** What one charge took for the call of that rank: the first ones are served first. */
    private static long charged(GroupOutcome outcome, int charge, int rank) {
        long amount = outcome.group.amounts()[charge];
        return Math.clamp(outcome.taken[charge] - rank * amount, 0, amount);
    }

    private Verdict.Exhausted exhausted(GroupOutcome outcome) {
        List<Standing> standings = new ArrayList<>(outcome.taken.length);
        Standing last = null;
        for (int i = 0; i < outcome.taken.length; i++) {
            long missing = tooLow(outcome, i) ? outcome.group.amounts()[i] : 0;
            Standing standing = standing(outcome, i, missing);
            standings.add(standing);
            if (missing > 0 && (last == null || freesAfter(standing, last))) {
                last = standing;
            }
        }
        if (last == null) {
            throw new IllegalStateException(
                    "the ledger refused a call although every counter had enough: "
                            + batch.groups().size()
                            + " groups, levels "
                            + decided.levels());
        }
        return new Verdict.Exhausted(last, standings);
    }

    /** Of two that never free by themselves, one that waits for calls in flight frees sooner. */
    private static boolean freesAfter(Standing one, Standing other) {
        return one.endsAfter(other)
                || (one.endsInMicros() < 0
                        && other.endsInMicros() < 0
                        && one.held() == 0
                        && other.held() > 0);
    }

    /** What is left only sinks within a batch, so what was too low at its turn still is. */
    private boolean tooLow(GroupOutcome outcome, int charge) {
        int demand = outcome.group.demands()[charge];
        return !counter(demand).shadow()
                && decided.levels().get(demand).left() < outcome.group.amounts()[charge];
    }

    private Standing standing(GroupOutcome outcome, int charge, long withheld) {
        int demand = outcome.group.demands()[charge];
        Level level = decided.levels().get(demand);
        return new Standing(
                counter(demand), level.left(), level.backMicros(), withheld, level.held());
    }

    private Counter counter(int demand) {
        return batch.demands().get(demand).counter();
    }
}

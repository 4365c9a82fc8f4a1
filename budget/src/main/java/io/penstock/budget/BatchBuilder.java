package io.penstock.budget;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Gathers calls into a batch in which each counter is named once and calls that ask the same stand
 * in one group.
 *
 * <p>Claims are told apart by identity, which is enough: equal claims that are not the same object
 * only make one group more. Counters are told apart by key. Both go through small tables whose
 * entries carry the number of the batch they belong to, so that starting over clears nothing.
 *
 * <p><b>Threads.</b> One thread.
 */
public final class BatchBuilder {
    /** A batch takes no further call once it could name more counters than that. */
    public static final int DEMANDS_MAX = 2_048;

    private static final int GROUP_SLOTS = 4 * Batch.GROUPS_MAX;
    private static final int DEMAND_SLOTS = 4 * DEMANDS_MAX;

    private static final long[] NO_LIMITS = {};

    private final Claim[] groupClaims = new Claim[GROUP_SLOTS];
    private final int[] groupIndexes = new int[GROUP_SLOTS];
    private final int[] groupStamps = new int[GROUP_SLOTS];
    private final Counter[] demandCounters = new Counter[DEMAND_SLOTS];
    private final int[] demandIndexes = new int[DEMAND_SLOTS];
    private final int[] demandStamps = new int[DEMAND_SLOTS];
    private int stamp = 1;

    private final List<Claim> claims = new ArrayList<>();
    private int[] asked = new int[16];
    private final List<Counter> counters = new ArrayList<>();
    private final List<int[]> groupDemands = new ArrayList<>();
    private final List<Batch.Place> places = new ArrayList<>();
    private final List<Intent> intents = new ArrayList<>();
    private final long[] limits = new long[Batch.CALLS_MAX];
    private boolean holds;

    /** Begins with an empty batch. */
    public BatchBuilder() {}

    /** How many calls have joined so far. */
    public int calls() {
        return places.size();
    }

    /** Whether one more call with that claim may join. An empty batch takes any claim. */
    public boolean fits(Claim claim) {
        if (places.isEmpty()) {
            return true;
        }
        return places.size() < Batch.CALLS_MAX
                && claims.size() < Batch.GROUPS_MAX
                && counters.size() + claim.charges().size() <= DEMANDS_MAX;
    }

    /**
     * Adds one call.
     *
     * @param limitMillis how long it may hold units
     */
    public void add(Claim claim, Intent intent, long limitMillis) {
        int group = groupOf(claim);
        limits[places.size()] = limitMillis;
        places.add(new Batch.Place(group, asked[group]++));
        intents.add(intent);
    }

    /** Ends the batch and starts the next one. */
    public Batch build(long seq, long epoch, int waitMillis) {
        long[] wanted = new long[counters.size()];
        List<Group> groups = new ArrayList<>(claims.size());
        for (int g = 0; g < claims.size(); g++) {
            Group group = group(g);
            groups.add(group);
            for (int i = 0; i < group.demands().length; i++) {
                int demand = group.demands()[i];
                wanted[demand] = Math.addExact(wanted[demand], group.asked() * group.amounts()[i]);
            }
        }
        List<Demand> demands = new ArrayList<>(wanted.length);
        for (int d = 0; d < wanted.length; d++) {
            demands.add(new Demand(counters.get(d), wanted[d]));
        }
        Batch batch =
                new Batch(
                        seq,
                        epoch,
                        waitMillis,
                        demands,
                        groups,
                        new ArrayList<>(places),
                        new ArrayList<>(intents),
                        holds ? Arrays.copyOf(limits, places.size()) : NO_LIMITS);
        startOver();
        return batch;
    }

    private Group group(int index) {
        List<Charge> charges = claims.get(index).charges();
        long[] amounts = new long[charges.size()];
        Charge.Kind[] kinds = new Charge.Kind[amounts.length];
        for (int i = 0; i < amounts.length; i++) {
            amounts[i] = charges.get(i).amount();
            kinds[i] = charges.get(i).kind();
        }
        return new Group(asked[index], groupDemands.get(index), amounts, kinds);
    }

    private int groupOf(Claim claim) {
        int slot = spread(System.identityHashCode(claim)) & (GROUP_SLOTS - 1);
        while (groupStamps[slot] == stamp) {
            if (groupClaims[slot] == claim) {
                return groupIndexes[slot];
            }
            slot = (slot + 1) & (GROUP_SLOTS - 1);
        }
        groupStamps[slot] = stamp;
        groupClaims[slot] = claim;
        groupIndexes[slot] = claims.size();
        return newGroup(claim);
    }

    private int newGroup(Claim claim) {
        int group = claims.size();
        claims.add(claim);
        if (group == asked.length) {
            asked = Arrays.copyOf(asked, group * 2);
        }
        asked[group] = 0;
        List<Charge> charges = claim.charges();
        int[] demands = new int[charges.size()];
        for (int i = 0; i < demands.length; i++) {
            demands[i] = demandOf(charges.get(i).counter());
        }
        groupDemands.add(demands);
        holds |= claim.holds();
        return group;
    }

    private int demandOf(Counter counter) {
        int slot = spread(counter.key().hashCode()) & (DEMAND_SLOTS - 1);
        while (demandStamps[slot] == stamp) {
            if (demandCounters[slot].key().equals(counter.key())) {
                return demandIndexes[slot];
            }
            slot = (slot + 1) & (DEMAND_SLOTS - 1);
        }
        demandStamps[slot] = stamp;
        demandCounters[slot] = counter;
        demandIndexes[slot] = counters.size();
        counters.add(counter);
        return counters.size() - 1;
    }

    private void startOver() {
        stamp++;
        holds = false;
        claims.clear();
        counters.clear();
        groupDemands.clear();
        places.clear();
        intents.clear();
    }

    private static int spread(int hash) {
        int mixed = hash * 0x9E3779B9;
        return mixed ^ (mixed >>> 15);
    }
}

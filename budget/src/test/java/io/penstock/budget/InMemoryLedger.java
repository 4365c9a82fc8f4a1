package io.penstock.budget;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The ledger as plain data: what every other one must do. Follows the protocol step by step, call
 * by call, in the dullest way there is.
 *
 * <p><b>Threads.</b> Safe for concurrent use: one monitor, as one database would order batches.
 */
public final class InMemoryLedger {
    private final LongSupplier clockMicros;
    private final Map<String, Row> counters = new HashMap<>();
    private final Map<Integer, LaneRow> lanes = new HashMap<>();
    private final Set<UUID> intents = new LinkedHashSet<>();
    private final Set<UUID> unsent = new LinkedHashSet<>();
    private long epoch = 1;

    /** One counter: the window it is in, and what is used of it. */
    private static final class Row {
        long index = Long.MIN_VALUE;
        long used;
    }

    /** One lane: the last number used, and what that batch took. */
    private static final class LaneRow {
        long seq;
        boolean fenced;
        @Nullable Taken taken;
    }

    private record Taken(long atMicros, List<Taking> takings, List<UUID> calls) {}

    private record Taking(Counter counter, long amount) {}

    public InMemoryLedger(LongSupplier clockMicros) {
        this.clockMicros = clockMicros;
    }

    public synchronized long epoch() {
        return epoch;
    }

    public synchronized void raiseEpoch() {
        epoch++;
    }

    /** Ends every lane, those that are opened later too. */
    public synchronized void fence() {
        for (int lane = 0; lane < 16; lane++) {
            laneRow(lane).fenced = true;
        }
    }

    public synchronized long used(Counter counter) {
        return row(counter).used;
    }

    /** Puts a counter into a state. */
    public synchronized void plant(Counter counter, long index, long used) {
        row(counter).index = index;
        row(counter).used = used;
    }

    public synchronized Set<UUID> intents() {
        return new LinkedHashSet<>(intents);
    }

    public synchronized Set<UUID> unsent() {
        return new LinkedHashSet<>(unsent);
    }

    /** The ledger as one lane sees it. */
    public BudgetLedger lane(int number) {
        return new LaneView(number);
    }

    private synchronized BudgetLedger.Answer admit(int lane, Batch batch) {
        LaneRow own = laneRow(lane);
        if (own.fenced || own.seq >= batch.seq()) {
            return new BudgetLedger.Superseded();
        }
        own.seq = batch.seq();
        own.taken = null;
        if (batch.epoch() != epoch) {
            return new BudgetLedger.Replan();
        }
        long now = clockMicros.getAsLong();
        long[] charged = new long[batch.demands().size()];
        for (Demand demand : batch.demands()) {
            turn(demand.counter(), now);
        }
        int[] admitted = new int[batch.groups().size()];
        for (int g = 0; g < admitted.length; g++) {
            admitted[g] = admitGroup(batch, batch.groups().get(g), charged);
        }
        keep(own, batch, admitted, charged, now);
        return new BudgetLedger.Decided(now, 0, admitted, levels(batch, charged));
    }

    /** Begins a new window where one has begun; never an older one. */
    private void turn(Counter counter, long now) {
        Row row = row(counter);
        long index = counter.budget().window().index(now);
        if (index > row.index) {
            row.index = index;
            row.used = 0;
        }
    }

    private int admitGroup(Batch batch, Group group, long[] charged) {
        int admitted = 0;
        while (admitted < group.asked() && fits(batch, group)) {
            for (int i = 0; i < group.demands().length; i++) {
                Counter counter = batch.demands().get(group.demands()[i]).counter();
                long amount =
                        Math.min(group.amounts()[i], counter.shadow() ? left(counter) : 1L << 60);
                row(counter).used += amount;
                charged[group.demands()[i]] += amount;
            }
            admitted++;
        }
        return admitted;
    }

    private boolean fits(Batch batch, Group group) {
        for (int i = 0; i < group.demands().length; i++) {
            Counter counter = batch.demands().get(group.demands()[i]).counter();
            if (!counter.shadow() && left(counter) < group.amounts()[i]) {
                return false;
            }
        }
        return true;
    }

    private void keep(LaneRow own, Batch batch, int[] admitted, long[] charged, long now) {
        List<UUID> calls = new ArrayList<>();
        for (int c = 0; c < batch.intents().size(); c++) {
            Batch.Place place = batch.places().get(c);
            if (place.rank() < admitted[place.group()]) {
                calls.add(batch.intents().get(c).call());
            }
        }
        List<Taking> takings = new ArrayList<>();
        for (int d = 0; d < charged.length; d++) {
            takings.add(new Taking(batch.demands().get(d).counter(), charged[d]));
        }
        own.taken = new Taken(now, takings, calls);
        intents.addAll(calls);
    }

    private List<BudgetLedger.Level> levels(Batch batch, long[] charged) {
        List<BudgetLedger.Level> levels = new ArrayList<>();
        for (int d = 0; d < charged.length; d++) {
            Counter counter = batch.demands().get(d).counter();
            levels.add(new BudgetLedger.Level(row(counter).index, left(counter), charged[d]));
        }
        return levels;
    }

    private synchronized BudgetLedger.Resolution resolve(int lane, Batch batch) {
        LaneRow own = laneRow(lane);
        if (own.fenced) {
            return new BudgetLedger.Superseded();
        }
        if (own.seq < batch.seq()) {
            own.seq = batch.seq();
            own.taken = null;
            return new BudgetLedger.Resolved(false);
        }
        Taken taken = own.taken;
        if (own.seq > batch.seq() || taken == null || taken.calls().isEmpty()) {
            return new BudgetLedger.Resolved(false);
        }
        for (Taking taking : taken.takings()) {
            long index = taking.counter().budget().window().index(taken.atMicros());
            giveBack(taking.counter(), index, taking.amount());
        }
        unsent.addAll(taken.calls());
        own.taken = null;
        return new BudgetLedger.Resolved(true);
    }

    private synchronized BudgetLedger.Return giveBack(int lane, GiveBack units) {
        LaneRow own = laneRow(lane);
        if (own.fenced) {
            return new BudgetLedger.Superseded();
        }
        if (own.seq < units.seq()) {
            own.seq = units.seq();
            own.taken = null;
            units.refunds().forEach(r -> giveBack(r.counter(), r.index(), r.amount()));
            units.calls().forEach(call -> unsent.add(call.call()));
        }
        return new BudgetLedger.Returned();
    }

    private void giveBack(Counter counter, long index, long amount) {
        Row row = row(counter);
        if (row.index == index) {
            row.used = Math.max(0, row.used - amount);
        }
    }

    private long left(Counter counter) {
        return Math.max(0, counter.budget().limit() - row(counter).used);
    }

    private Row row(Counter counter) {
        return counters.computeIfAbsent(counter.key(), _ -> new Row());
    }

    private LaneRow laneRow(int lane) {
        return lanes.computeIfAbsent(lane, _ -> new LaneRow());
    }

    private synchronized long lastSeq(int lane) {
        return laneRow(lane).seq;
    }

    private final class LaneView implements BudgetLedger {
        private final int number;
        private final long lastSeq;

        LaneView(int number) {
            this.number = number;
            lastSeq = InMemoryLedger.this.lastSeq(number);
        }

        @Override
        public long lastSeq() {
            return lastSeq;
        }

        @Override
        public Answer admit(Batch batch) {
            return InMemoryLedger.this.admit(number, batch);
        }

        @Override
        public Resolution resolve(Batch batch) {
            return InMemoryLedger.this.resolve(number, batch);
        }

        @Override
        public Return giveBack(GiveBack units) {
            return InMemoryLedger.this.giveBack(number, units);
        }

        @Override
        public void close() {}
    }
}

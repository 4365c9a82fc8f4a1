package io.penstock.budget;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private final Map<String, CounterRow> counters = new HashMap<>();
    private final Map<Integer, LaneRow> lanes = new HashMap<>();
    private final Map<HoldKey, Hold> holds = new LinkedHashMap<>();
    private final List<Ended> ended = new ArrayList<>();
    private final Set<UUID> intents = new LinkedHashSet<>();
    private final Set<UUID> unsent = new LinkedHashSet<>();
    private long epoch = 1;

    /** One lane: the last number used, and what that batch took. */
    private static final class LaneRow {
        long seq;
        boolean fenced;
        @Nullable Taken taken;
    }

    private record Taken(long atMicros, List<Taking> takings, List<UUID> calls) {}

    private record Taking(Counter counter, long amount) {}

    private record HoldKey(UUID call, String counter) {}

    private record Hold(Counter counter, long index, long amount, boolean slot) {}

    /** A hold that was settled, as the journal has it; slots are not journaled. */
    public record Ended(UUID call, String budget, long actual, Settlement.Fate fate) {}

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

    /** Units of a counter that are held. */
    public synchronized long held(Counter counter) {
        return row(counter).held;
    }

    /** How many holds are open. */
    public synchronized int holds() {
        return holds.size();
    }

    /** What became of the metered holds that are gone. */
    public synchronized List<Ended> ended() {
        return List.copyOf(ended);
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
        Map<String, CounterRow> before = new HashMap<>();
        for (Demand demand : batch.demands()) {
            CounterRow row = row(demand.counter());
            before.put(demand.counter().key(), row);
            CounterRow turned = row.copy();
            turned.turn(demand.counter(), now);
            counters.put(demand.counter().key(), turned);
        }
        int[] admitted = new int[batch.groups().size()];
        for (int g = 0; g < admitted.length; g++) {
            admitted[g] = admitGroup(batch, g, charged, now);
        }
        keep(own, batch, admitted, charged, now);
        List<BudgetLedger.Level> levels = levels(batch, charged, now);
        for (int d = 0; d < charged.length; d++) {
            if (charged[d] == 0) {
                // What is not charged is not written: a later look finds it as it was.
                String key = batch.demands().get(d).counter().key();
                counters.put(key, Objects.requireNonNull(before.get(key)));
            }
        }
        return new BudgetLedger.Decided(now, 0, admitted, levels);
    }

    /** Where a counter stands now; changes nothing. */
    public synchronized Standing standing(Counter counter) {
        long now = clockMicros.getAsLong();
        CounterRow row = row(counter).copy();
        row.turn(counter, now);
        return new Standing(
                counter, row.room(counter, now), row.backMicros(counter, now), 0, row.held);
    }

    private int admitGroup(Batch batch, int index, long[] charged, long now) {
        Group group = batch.groups().get(index);
        int admitted = 0;
        while (admitted < group.asked() && fits(batch, group, now)) {
            UUID call = callOf(batch, index, admitted);
            for (int i = 0; i < group.demands().length; i++) {
                Counter counter = batch.demands().get(group.demands()[i]).counter();
                long amount = group.amounts()[i];
                if (row(counter).room(counter, now) >= amount) {
                    charge(counter, amount, group.kinds()[i], call, now);
                    charged[group.demands()[i]] += amount;
                }
            }
            admitted++;
        }
        return admitted;
    }

    private void charge(
            Counter counter, long amount, Charge.Kind kind, @Nullable UUID call, long now) {
        CounterRow row = row(counter);
        row.charge(counter, amount, now);
        if (kind != Charge.Kind.PLAIN && call != null) {
            row.held += amount;
            holds.put(
                    new HoldKey(call, counter.key()),
                    new Hold(counter, row.index, amount, kind == Charge.Kind.SLOT));
        }
    }

    /** The call of that rank in its group, or null where the batch names none. */
    private static @Nullable UUID callOf(Batch batch, int group, int rank) {
        for (int c = 0; c < batch.intents().size(); c++) {
            Batch.Place place = batch.places().get(c);
            if (place.group() == group && place.rank() == rank) {
                return batch.intents().get(c).call();
            }
        }
        return null;
    }

    private boolean fits(Batch batch, Group group, long now) {
        for (int i = 0; i < group.demands().length; i++) {
            Counter counter = batch.demands().get(group.demands()[i]).counter();
            if (!counter.shadow() && row(counter).room(counter, now) < group.amounts()[i]) {
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

    private List<BudgetLedger.Level> levels(Batch batch, long[] charged, long now) {
        List<BudgetLedger.Level> levels = new ArrayList<>();
        for (int d = 0; d < charged.length; d++) {
            Counter counter = batch.demands().get(d).counter();
            CounterRow row = row(counter);
            levels.add(
                    new BudgetLedger.Level(
                            row.index,
                            row.room(counter, now),
                            charged[d],
                            row.held,
                            row.backMicros(counter, now)));
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
        taken.calls().forEach(this::dropHolds);
        for (Taking taking : taken.takings()) {
            if (taking.amount() > 0) {
                undo(taking, taken.atMicros());
            }
        }
        unsent.addAll(taken.calls());
        own.taken = null;
        return new BudgetLedger.Resolved(true);
    }

    /** Where only the time of a charge is known: a session's stretch is the one it fell into. */
    private void undo(Taking taking, long atMicros) {
        CounterRow row = row(taking.counter());
        Window window = taking.counter().budget().window();
        long index =
                window instanceof Window.Session && row.index <= atMicros
                        ? row.index
                        : CounterRow.number(window, atMicros);
        row.adjust(taking.counter(), index, -taking.amount());
    }

    /** Their units go back with everything else that the batch took. */
    private void dropHolds(UUID call) {
        holds.entrySet()
                .removeIf(
                        entry -> {
                            boolean gone = entry.getKey().call().equals(call);
                            if (gone) {
                                release(entry.getValue());
                            }
                            return gone;
                        });
    }

    private void release(Hold hold) {
        CounterRow row = row(hold.counter());
        if (row.counts(hold.counter(), hold.index())) {
            row.held = Math.max(0, row.held - hold.amount());
        }
    }

    private synchronized BudgetLedger.Return settle(int lane, Settlement units) {
        LaneRow own = laneRow(lane);
        if (own.fenced) {
            return new BudgetLedger.Superseded();
        }
        if (own.seq < units.seq()) {
            own.seq = units.seq();
            own.taken = null;
            units.refunds()
                    .forEach(r -> row(r.counter()).adjust(r.counter(), r.index(), -r.amount()));
            units.unsent().forEach(call -> unsent.add(call.call()));
            units.holds().forEach(this::end);
        }
        return new BudgetLedger.Returned();
    }

    private void end(Settlement.Settled settled) {
        Hold hold = holds.remove(new HoldKey(settled.call(), settled.counter().key()));
        if (hold == null) {
            return;
        }
        release(hold);
        long actual = settled.fate() == Settlement.Fate.IN_FULL ? hold.amount() : settled.actual();
        if (actual != hold.amount()) {
            row(hold.counter()).adjust(hold.counter(), hold.index(), actual - hold.amount());
        }
        if (!hold.slot()) {
            ended.add(
                    new Ended(
                            settled.call(),
                            hold.counter().budget().name(),
                            actual,
                            settled.fate()));
        }
    }

    private CounterRow row(Counter counter) {
        return counters.computeIfAbsent(counter.key(), _ -> new CounterRow());
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
        public Return settle(Settlement units) {
            return InMemoryLedger.this.settle(number, units);
        }

        @Override
        public void close() {}
    }
}

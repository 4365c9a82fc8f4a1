package io.penstock.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Budgets, claims and batches for tests. */
public final class Batches {
    /** Long enough that no test sees its end. */
    public static final Window LONG = new Window.Fixed(200L * 24 * 3600 * 1_000_000);

    private final BatchBuilder builder = new BatchBuilder();
    private final List<UUID> calls = new ArrayList<>();

    /** Begins with no calls. */
    public Batches() {}

    public static Budget budget(String name, long limit, Window window, Mode mode) {
        return new Budget(name, Unit.CALLS, limit, window, Set.of(), null, null, mode);
    }

    public static Counter counter(String name, long limit) {
        return Counter.of(budget(name, limit, LONG, Mode.ENFORCE), subject("a"), false);
    }

    public static Counter shadow(String name, long limit) {
        return Counter.of(budget(name, limit, LONG, Mode.SHADOW), subject("a"), true);
    }

    public static Counter counter(String name, long limit, Window window) {
        return Counter.of(budget(name, limit, window, Mode.ENFORCE), subject("a"), false);
    }

    public static Subject subject(String agent) {
        return new Subject("t", agent, "s", "tool", null);
    }

    public static Claim claim(Counter... counters) {
        List<Charge> charges = new ArrayList<>();
        for (Counter counter : counters) {
            charges.add(new Charge(counter, 1));
        }
        return new Claim(charges);
    }

    /** Adds so many calls; their ids are those of {@link #calls}, in order. */
    public Batches add(int count, Claim claim) {
        for (int i = 0; i < count; i++) {
            UUID call = UUID.randomUUID();
            calls.add(call);
            builder.add(claim, new Intent(call, subject("a"), "tools/call"), 60_000);
        }
        return this;
    }

    public UUID call(int index) {
        return calls.get(index);
    }

    public Batch build(long seq, long epoch) {
        return builder.build(seq, epoch, 5_000);
    }

    /** The decision, or a failure that shows what came instead. */
    public static BudgetLedger.Decided decided(BudgetLedger.@Nullable Answer answer) {
        if (answer instanceof BudgetLedger.Decided decided) {
            return decided;
        }
        throw new AssertionError("expected a decision, got " + answer);
    }
}

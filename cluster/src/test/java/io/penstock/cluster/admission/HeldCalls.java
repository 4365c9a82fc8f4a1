package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BatchBuilder;
import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Intent;
import io.penstock.budget.Mode;
import io.penstock.budget.Settlement;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Calls that hold 3 tokens and a slot each. */
final class HeldCalls {
    static final int TOKENS = 3;

    private HeldCalls() {}

    static Counter counter(String name, Unit unit, Window window) {
        return new Counter(
                "4:" + name + unit.name().charAt(0) + window.spec(),
                new Budget(name, unit, 2_000, window, Set.of(), null, null, Mode.ENFORCE),
                false);
    }

    static Counter tokens() {
        return counter("toke", Unit.TOKENS, new Window.Lifetime());
    }

    static Counter slots() {
        return counter("slot", Unit.CONCURRENCY, new Window.Open());
    }

    static Claim claim(Counter tokens, Counter slots) {
        return new Claim(
                List.of(
                        new Charge(tokens, TOKENS, Charge.Kind.METERED, null),
                        new Charge(slots, 1, Charge.Kind.SLOT, null)));
    }

    static Batch batch(List<UUID> calls, Claim claim, long seq, long epoch) {
        BatchBuilder builder = new BatchBuilder();
        for (UUID call : calls) {
            builder.add(claim, new Intent(call, Batches.subject("a"), "tools/call"), 60_000);
        }
        return builder.build(seq, epoch, 5_000);
    }

    static List<UUID> calls(int count) {
        List<UUID> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(UUID.randomUUID());
        }
        return calls;
    }

    /** Admits so many calls through lane 0, and gives their ids. */
    static List<UUID> admit(PostgresFixture fixture, int count, Counter tokens, Counter slots) {
        Claim claim = claim(tokens, slots);
        List<UUID> calls = calls(count);
        try (BudgetLedger lane = fixture.lane(0)) {
            for (int from = 0; from < count; from += Batch.CALLS_MAX) {
                List<UUID> some = calls.subList(from, Math.min(count, from + Batch.CALLS_MAX));
                Batches.decided(
                        lane.admit(batch(some, claim, lane.lastSeq() + 1 + from, fixture.epoch())));
            }
        }
        return calls;
    }

    /** A settlement of one call that used so many tokens. */
    static Settlement settled(long seq, UUID call, long used, Counter tokens, Counter slots) {
        return new Settlement(
                seq,
                5_000,
                List.of(),
                List.of(),
                List.of(
                        new Settlement.Settled(call, tokens, used, Settlement.Fate.SETTLED),
                        new Settlement.Settled(call, slots, 0, Settlement.Fate.RELEASED)));
    }
}

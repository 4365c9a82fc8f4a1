package io.penstock.cluster.admission;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Counter;
import io.penstock.budget.Settlement;
import io.penstock.budget.Settlement.Fate;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Settled;
import io.penstock.budget.Settlement.Unsent;
import io.penstock.cluster.admission.Admission.Spent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Calls that the ledger must still hear of: admitted and never sent, or over and holding units.
 * Where too many wait, one is dropped: its units stay charged and its holds end in full at their
 * time, which wastes some and never admits too many.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class EndedCalls {
    private static final int CALLS_MAX = 65_536;

    /** In one transaction; one call with more is told of all the same. */
    private static final int HOLDS_MAX = 1_024;

    private final ArrayBlockingQueue<WaitingCall> calls;
    private final LongAdder dropped = new LongAdder();

    EndedCalls() {
        this(CALLS_MAX);
    }

    EndedCalls(int callsMax) {
        calls = new ArrayBlockingQueue<>(callsMax);
    }

    private record Place(String key, long index) {}

    /** False where too many wait; that is counted. */
    boolean offer(WaitingCall call) {
        if (calls.offer(call)) {
            return true;
        }
        dropped.increment();
        return false;
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** How many were dropped since this was last asked. */
    long dropped() {
        return dropped.sumThenReset();
    }

    /** The next numbered batch, or null where nothing waits. */
    @Nullable Settlement next(long seq, int waitMillis, int callsMax) {
        Map<Place, Refund> refunds = new LinkedHashMap<>();
        List<Unsent> unsent = new ArrayList<>();
        List<Settled> holds = new ArrayList<>();
        WaitingCall call = null;
        for (int i = 0; i < callsMax && holds.size() < HOLDS_MAX; i++) {
            WaitingCall next = calls.poll();
            if (next == null) {
                break;
            }
            call = next;
            List<Spent> spent = call.spent;
            if (spent == null) {
                returnAll(call, refunds, unsent, holds);
            } else {
                settle(call, spent, holds);
            }
        }
        return call == null
                ? null
                : new Settlement(seq, waitMillis, new ArrayList<>(refunds.values()), unsent, holds);
    }

    private static void returnAll(
            WaitingCall call,
            Map<Place, Refund> refunds,
            List<Unsent> unsent,
            List<Settled> holds) {
        unsent.add(new Unsent(call.intent.call(), call.admittedMicros));
        for (Refund refund : call.refunds) {
            refunds.merge(
                    new Place(refund.counter().key(), refund.index()), refund, EndedCalls::sum);
        }
        for (Charge hold : call.holds) {
            holds.add(new Settled(call.intent.call(), hold.counter(), 0, Fate.RELEASED));
        }
    }

    private static void settle(WaitingCall call, List<Spent> spent, List<Settled> holds) {
        for (Charge hold : call.holds) {
            if (hold.kind() == Charge.Kind.SLOT) {
                holds.add(new Settled(call.intent.call(), hold.counter(), 0, Fate.RELEASED));
                continue;
            }
            long actual = actual(hold.counter(), spent);
            boolean known = actual >= 0;
            Fate fate =
                    !known ? Fate.IN_FULL : actual <= hold.amount() ? Fate.SETTLED : Fate.OVERRUN;
            holds.add(
                    new Settled(
                            call.intent.call(),
                            hold.counter(),
                            known ? actual : hold.amount(),
                            fate));
        }
    }

    /** What was spent of that counter, at most 2^52, or -1 where nobody knows. */
    private static long actual(Counter counter, List<Spent> spent) {
        for (Spent one : spent) {
            if (one.counter().key().equals(counter.key())) {
                return Math.min(one.amount(), Budget.AMOUNT_MAX);
            }
        }
        return -1;
    }

    private static Refund sum(Refund one, Refund other) {
        return new Refund(one.counter(), one.index(), Math.addExact(one.amount(), other.amount()));
    }
}

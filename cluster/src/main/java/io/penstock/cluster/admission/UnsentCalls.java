package io.penstock.cluster.admission;

import io.penstock.budget.Settlement;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Unsent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Calls that were admitted and never sent, waiting for their units to go back. Where too many wait,
 * one is dropped: its units stay charged, which wastes some and never admits too many.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class UnsentCalls {
    private static final int CALLS_MAX = 65_536;

    private final ArrayBlockingQueue<WaitingCall> calls = new ArrayBlockingQueue<>(CALLS_MAX);

    private record Place(String key, long index) {}

    boolean offer(WaitingCall call) {
        return calls.offer(call);
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** The next numbered batch of returns, or null where nothing waits. */
    @Nullable Settlement next(long seq, int waitMillis, int callsMax) {
        List<WaitingCall> taken = new ArrayList<>();
        calls.drainTo(taken, callsMax);
        if (taken.isEmpty()) {
            return null;
        }
        Map<Place, Refund> refunds = new LinkedHashMap<>();
        List<Unsent> unsent = new ArrayList<>(taken.size());
        for (WaitingCall call : taken) {
            unsent.add(new Unsent(call.intent.call(), call.admittedMicros));
            for (Refund refund : call.refunds) {
                refunds.merge(
                        new Place(refund.counter().key(), refund.index()),
                        refund,
                        UnsentCalls::sum);
            }
        }
        return new Settlement(seq, waitMillis, new ArrayList<>(refunds.values()), unsent);
    }

    private static Refund sum(Refund one, Refund other) {
        return new Refund(one.counter(), one.index(), Math.addExact(one.amount(), other.amount()));
    }
}

package io.penstock.cluster.admission;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait for a lane, in order of arrival, at most so many.
 *
 * <p>Callers push onto a Treiber stack with one compare-and-set. Who takes, takes the whole stack
 * with one exchange, so nodes never come back while a push is under way and no ABA can happen,
 * turns it round, and appends it to a queue. A node knows the depth below it, which makes the bound
 * free.
 *
 * <p><b>Threads.</b> {@link #push} from any number; {@link #take} and {@link #expire} exclude each
 * other by this object's monitor, which guards the queue and is never held while anything waits.
 */
final class WaitingCalls {
    private final int callsMax;
    private final AtomicReference<@Nullable WaitingCall> stack = new AtomicReference<>();
    private @Nullable WaitingCall head;
    private @Nullable WaitingCall tail;
    private volatile int queued;

    WaitingCalls(int callsMax) {
        this.callsMax = callsMax;
    }

    /** What came of a push. */
    enum Push {
        /** It waits, and somebody must be told. */
        FIRST,
        /** It waits behind others, which somebody was told of. */
        BEHIND,
        /** Too many wait. */
        FULL
    }

    Push push(WaitingCall call) {
        while (true) {
            WaitingCall top = stack.get();
            int below = top == null ? 0 : top.depth;
            if (below + queued >= callsMax) {
                return Push.FULL;
            }
            call.older = top;
            call.depth = below + 1;
            if (stack.compareAndSet(top, call)) {
                return top == null ? Push.FIRST : Push.BEHIND;
            }
        }
    }

    /** About how many wait. */
    int size() {
        WaitingCall top = stack.get();
        return queued + (top == null ? 0 : top.depth);
    }

    /**
     * Takes the oldest calls; their number is how many stand in the array now.
     *
     * @param from where in the array to begin
     */
    synchronized int take(WaitingCall[] into, int from) {
        gather();
        int taken = from;
        WaitingCall call = head;
        while (call != null && taken < into.length) {
            into[taken++] = call;
            WaitingCall next = call.newer;
            call.newer = null;
            call = next;
        }
        head = call;
        if (call == null) {
            tail = null;
        }
        queued -= taken - from;
        return taken;
    }

    /** Answers those whose time is over, and drops those that have an answer. */
    synchronized void expire(long nowNanos) {
        gather();
        WaitingCall kept = null;
        WaitingCall call = head;
        head = null;
        int left = 0;
        while (call != null) {
            WaitingCall next = call.newer;
            call.newer = null;
            if (nowNanos - call.deadlineNanos >= 0) {
                call.answer(Verdict.Unavailable.INSTANCE);
            }
            if (!call.answered()) {
                if (kept == null) {
                    head = call;
                } else {
                    kept.newer = call;
                }
                kept = call;
                left++;
            }
            call = next;
        }
        tail = kept;
        queued = left;
    }

    /** Refuses everybody. */
    synchronized void refuseAll() {
        gather();
        for (WaitingCall call = head; call != null; call = call.newer) {
            call.answer(Verdict.Unavailable.INSTANCE);
        }
        head = null;
        tail = null;
        queued = 0;
    }

    /** Moves the stack behind the queue, oldest first. */
    private void gather() {
        WaitingCall call = stack.getAndSet(null);
        if (call == null) {
            return;
        }
        int added = call.depth;
        WaitingCall last = call;
        WaitingCall first = null;
        while (call != null) {
            WaitingCall older = call.older;
            call.older = null;
            call.newer = first;
            first = call;
            call = older;
        }
        if (tail == null) {
            head = first;
        } else {
            tail.newer = first;
        }
        tail = last;
        queued += added;
    }
}

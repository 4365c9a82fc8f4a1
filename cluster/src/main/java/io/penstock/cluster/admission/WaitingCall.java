package io.penstock.cluster.admission;

import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Intent;
import io.penstock.budget.Settlement.Refund;
import io.penstock.cluster.admission.Admission.Spent;
import io.penstock.cluster.control.Snapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One caller that waits for its verdict, and afterwards what is needed to give its units back.
 *
 * <p><b>Threads.</b> {@code verdict} is set once, by whoever is first: a lane, the deadline, or the
 * caller that was interrupted. {@code older} is written before the push that publishes it; {@code
 * newer} under the lock of {@link WaitingCalls}; the other fields belong to the lane that took it,
 * and reach whoever gives it back through the verdict.
 */
final class WaitingCall implements Verdict.Ticket {
    private static final VarHandle VERDICT;
    private static final VarHandle ENDED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            VERDICT = lookup.findVarHandle(WaitingCall.class, "verdict", Verdict.class);
            ENDED = lookup.findVarHandle(WaitingCall.class, "ended", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Intent intent;
    final long deadlineNanos;
    private final Thread caller;

    /** The call below in the stack, and how many there are from here down. */
    @Nullable WaitingCall older;

    int depth;

    /** The call behind in the queue. */
    @Nullable WaitingCall newer;

    /** How long it may hold units. */
    final long limitMillis;

    Claim claim;
    Snapshot snapshot;
    int tries;
    long admittedMicros;
    List<Refund> refunds = List.of();

    /** What it holds. */
    List<Charge> holds = List.of();

    /** What it cost; null where it was never sent. Written before it is told to the ledger. */
    @Nullable List<Spent> spent;

    /** The next one of a row that is woken together; written before the verdict. */
    private @Nullable WaitingCall behind;

    /** Whether this caller, when it wakes, wakes those behind it. */
    private boolean headOfRow;

    private volatile @Nullable Verdict verdict;

    @SuppressWarnings("UnusedVariable") // through ENDED
    private volatile boolean ended;

    WaitingCall(AdmissionRequest request, long deadlineNanos, Thread caller) {
        intent = new Intent(request.call(), request.subject(), request.method());
        claim = request.claim();
        limitMillis = request.limitMillis();
        snapshot = request.snapshot();
        this.deadlineNanos = deadlineNanos;
        this.caller = caller;
    }

    boolean answered() {
        return verdict != null;
    }

    /** Answers the caller, unless somebody has. */
    boolean answer(Verdict answer) {
        if (!VERDICT.compareAndSet(this, null, answer)) {
            return false;
        }
        LockSupport.unpark(caller);
        return true;
    }

    /**
     * Answers many callers and wakes few of them, each of which wakes the others of its row from
     * its own carrier: handing a virtual thread to the scheduler from outside costs a lane several
     * times as much as it costs a carrier.
     *
     * <p>Everybody in a row has an answer before its head has one. Where somebody else has answered
     * the one that was to be the head, the next one is.
     */
    static final class Wake {
        private static final int ROW = 32;

        private @Nullable WaitingCall last;
        private int length;

        /** Answers one more caller, unless somebody has. */
        boolean answer(WaitingCall call, Verdict answer) {
            boolean head = length == ROW - 1;
            call.behind = last;
            call.headOfRow = head;
            if (!VERDICT.compareAndSet(call, null, answer)) {
                return false;
            }
            last = call;
            length++;
            if (head) {
                LockSupport.unpark(call.caller);
                last = null;
                length = 0;
            }
            return true;
        }

        /** Wakes those that wait for no head any more. */
        void finish() {
            wakeAll(last);
            last = null;
            length = 0;
        }
    }

    /** Takes a row apart while it wakes it, so that nobody holds on to the others of his row. */
    private static void wakeAll(@Nullable WaitingCall first) {
        WaitingCall call = first;
        while (call != null) {
            WaitingCall next = call.behind;
            call.behind = null;
            LockSupport.unpark(call.caller);
            call = next;
        }
    }

    /** Parks without a time: whoever watches deadlines answers in time. */
    Verdict await() {
        Verdict answer = verdict;
        while (answer == null) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                answer(Verdict.Unavailable.INSTANCE);
                Thread.currentThread().interrupt();
            }
            answer = verdict;
        }
        if (headOfRow) {
            WaitingCall row = behind;
            behind = null;
            wakeAll(row);
        }
        return answer;
    }

    /** True for the first who wants to give it back or to settle it. */
    boolean claimEnd() {
        return ENDED.compareAndSet(this, false, true);
    }
}

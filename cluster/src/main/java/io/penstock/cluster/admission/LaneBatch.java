package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BatchBuilder;
import io.penstock.budget.Budget;
import io.penstock.budget.Claim;
import io.penstock.budget.Mode;
import io.penstock.budget.Standing;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.Snapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one lane has taken to decide: calls that wait for another try first, then those that
 * arrived.
 *
 * <p><b>Threads.</b> One lane's thread; {@link #expire} any.
 */
final class LaneBatch {
    /** Kept back from the time that callers have left: the way home and waking up. */
    private static final long MARGIN_NANOS = 20_000_000L;

    static final int TRIES_MAX = 4;

    private final Lanes lanes;
    private final BatchBuilder builder = new BatchBuilder();
    private final List<WaitingCall> again = new ArrayList<>();
    private final WaitingCall[] taken = new WaitingCall[Batch.CALLS_MAX];
    private final List<WaitingCall> calls = new ArrayList<>(Batch.CALLS_MAX);
    private long leastDeadlineNanos;

    /** The calls of the batch that is being decided, for whoever watches deadlines. */
    private volatile WaitingCall[] inFlight = {};

    LaneBatch(Lanes lanes) {
        this.lanes = lanes;
    }

    /** The calls of the batch, in its order. */
    List<WaitingCall> calls() {
        return calls;
    }

    boolean hasAgain() {
        return !again.isEmpty();
    }

    /** Takes what waits and makes a batch of it, or null where nothing is left to decide. */
    @Nullable Batch gather(long seq) {
        calls.clear();
        int count = again.size();
        again.toArray(taken);
        again.clear();
        count = lanes.waiting.take(taken, count);
        Snapshot state = lanes.control.view().current();
        long now = lanes.ticker.getAsLong();
        leastDeadlineNanos = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            if (ready(taken[i], state, now)) {
                join(taken[i], now);
            }
        }
        Arrays.fill(taken, 0, count, null);
        if (calls.isEmpty()) {
            return null;
        }
        inFlight = calls.toArray(WaitingCall[]::new);
        long waitNanos = leastDeadlineNanos - now - MARGIN_NANOS;
        return builder.build(seq, state.epoch(), (int) (waitNanos / 1_000_000L));
    }

    private void join(WaitingCall call, long now) {
        if (!again.isEmpty() || !builder.fits(call.claim)) {
            again.add(call);
            return;
        }
        builder.add(call.claim, call.intent, call.limitMillis);
        calls.add(call);
        if (leastDeadlineNanos == Long.MAX_VALUE
                || call.deadlineNanos - now < leastDeadlineNanos - now) {
            leastDeadlineNanos = call.deadlineNanos;
        }
    }

    /** Answers a call that must not be charged; true for one that may. */
    private boolean ready(WaitingCall call, Snapshot state, long now) {
        if (call.answered()) {
            return false;
        }
        if (call.deadlineNanos - now < Lanes.LEAST_NANOS) {
            call.answer(Verdict.Unavailable.INSTANCE);
            return false;
        }
        if (call.snapshot != state && !judgedAgain(call, state, now)) {
            return false;
        }
        Standing denial = lanes.denials.refusal(call.claim, state.epoch(), now);
        if (denial != null) {
            call.answer(new Verdict.Exhausted(denial, List.of(denial)));
            return false;
        }
        return true;
    }

    /** The state is another one than the caller saw: its judgement and its claim may be, too. */
    private static boolean judgedAgain(WaitingCall call, Snapshot state, long now) {
        Judgement judgement = state.judge(call.intent.subject(), now);
        if (!(judgement instanceof Judgement.Clear)) {
            call.answer(new Verdict.Refused(judgement));
            return false;
        }
        Rules rules = state.rules();
        if (rules.revision() != call.snapshot.rules().revision()) {
            Mode mode = rules.servers().get(call.intent.subject().server());
            if (mode == null) {
                call.answer(Verdict.Unavailable.INSTANCE);
                return false;
            }
            Claim claim = rules.budgets().claim(call.intent.subject(), mode);
            Budget unpriced = claim.unpriced();
            if (unpriced != null) {
                call.answer(new Verdict.Unpriced(unpriced));
                return false;
            }
            call.claim = claim;
        }
        call.snapshot = state;
        return true;
    }

    /** Has the batch's calls tried once more, as far as they may. */
    void tryAgain() {
        for (WaitingCall call : calls) {
            if (++call.tries >= TRIES_MAX) {
                call.answer(Verdict.Unavailable.INSTANCE);
            } else if (!call.answered()) {
                again.add(call);
            }
        }
        done();
    }

    /** Refuses the batch's calls. */
    void refuse() {
        for (WaitingCall call : calls) {
            call.answer(Verdict.Unavailable.INSTANCE);
        }
        done();
    }

    void refuseAgain() {
        again.forEach(call -> call.answer(Verdict.Unavailable.INSTANCE));
        again.clear();
    }

    void done() {
        calls.clear();
        inFlight = new WaitingCall[0];
    }

    /**
     * Refuses those whose time is over.
     *
     * @return whether there was one: the ledger takes too long
     */
    boolean expire(long nowNanos) {
        boolean late = false;
        for (WaitingCall call : inFlight) {
            if (nowNanos - call.deadlineNanos >= 0) {
                call.answer(Verdict.Unavailable.INSTANCE);
                late = true;
            }
        }
        return late;
    }
}

package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Failed;
import io.penstock.budget.BudgetLedger.Late;
import io.penstock.budget.BudgetLedger.Replan;
import io.penstock.budget.BudgetLedger.Resolved;
import io.penstock.budget.BudgetLedger.Returned;
import io.penstock.budget.BudgetLedger.Superseded;
import io.penstock.budget.BudgetLedger.Unknown;
import io.penstock.budget.Settlement;
import io.penstock.cluster.alert.Crossing;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One lane: a thread, a connection, a row of numbers. Works off, in this order: a batch whose
 * answer was lost, calls that are over, calls that wait.
 *
 * <p><b>Threads.</b> Its own; {@link #wake}, {@link #stuck} and {@link #expire} any. A sleeper says
 * so before it looks for work a last time, and who brings work looks for sleepers afterwards, so
 * none is missed.
 */
final class Lane implements Runnable {
    private static final Logger LOG = System.getLogger(Lane.class.getName());
    private static final long RETRY_FIRST_NANOS = 20_000_000L;
    private static final long RETRY_MAX_NANOS = 500_000_000L;
    private static final int RETURN_WAIT_MILLIS = 200;
    private static final int RETURN_TRIES_MAX = 5;

    /** Enough for all that the queue can hold. */
    private static final int LAST_BATCHES = 256;

    /** Below that, a gathering pause costs more than fuller batches bring. */
    private static final int LARGE_BATCH = 8;

    private static final long GATHER_NANOS = 300_000L;

    private final int number;
    private final Lanes lanes;
    private final LaneOpener opener;
    private final LaneBatch batches;
    private final Thread thread;
    private final AtomicBoolean asleep = new AtomicBoolean();
    private final WaitingCall.Wake wake = new WaitingCall.Wake();
    private volatile boolean up;
    private volatile boolean failing;
    private volatile boolean late;

    private @Nullable LaneLedger ledger;
    private @Nullable Batch unresolved;
    private @Nullable Settlement returning;
    private boolean returnUnknown;
    private int returnTries;
    private long seq;
    private int lastCalls;
    private long retryNanos = RETRY_FIRST_NANOS;

    Lane(int number, Lanes lanes, LaneOpener opener) {
        this.number = number;
        this.lanes = lanes;
        this.opener = opener;
        batches = new LaneBatch(lanes);
        thread = Thread.ofPlatform().daemon().name("penstock-lane-" + number).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Whether it slept, and was woken by this call. */
    boolean wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
            return true;
        }
        return false;
    }

    boolean up() {
        return up;
    }

    /** It cannot take up work now: another should. */
    boolean stuck() {
        return late || failing;
    }

    /** Refuses callers whose time is over while their batch is being decided. */
    boolean expire(long nowNanos) {
        late = batches.expire(nowNanos);
        return late;
    }

    void unpark() {
        LockSupport.unpark(thread);
    }

    void join(Duration wait) throws InterruptedException {
        if (thread.getState() != Thread.State.NEW) {
            thread.join(wait);
        }
    }

    @Override
    public void run() {
        try {
            while (!lanes.closed()) {
                round();
            }
            endAll();
        } catch (RuntimeException | Error e) {
            // A bug: this lane's state is not known any more. Fail closed, and loudly.
            LOG.log(Level.ERROR, "event=lane-died lane=" + number, e);
            lanes.over("lane " + number + " died: " + e);
            throw e;
        } finally {
            batches.refuse();
            batches.refuseAgain();
            disconnect();
        }
    }

    private void round() {
        if (idle()) {
            sleep();
            return;
        }
        LaneLedger open = connected();
        if (open == null || (unresolved != null && !resolve(open, unresolved))) {
            return;
        }
        if (end(open) && (lanes.waiting.size() > 0 || batches.hasAgain())) {
            decide(open);
        }
    }

    /** The last words of a lane that closes: nobody else would say them. Each is tried once. */
    private void endAll() {
        LaneLedger open = unresolved == null ? ledger : connected();
        if (open == null || (unresolved != null && !resolve(open, unresolved))) {
            return;
        }
        for (int i = 0; i < LAST_BATCHES; i++) {
            if (!end(open) || (returning == null && lanes.ended.isEmpty())) {
                return;
            }
        }
    }

    /** Lane 0 connects before there is work, so that the first call does not wait for it. */
    private boolean idle() {
        if (unresolved != null || returning != null || batches.hasAgain()) {
            return false;
        }
        if (number == 0 && ledger == null) {
            return false;
        }
        return !lanes.mayWork(number) || (lanes.waiting.size() == 0 && lanes.ended.isEmpty());
    }

    private void sleep() {
        asleep.set(true);
        if (idle() && !lanes.closed()) {
            LockSupport.park(this);
        }
        asleep.set(false);
    }

    private @Nullable LaneLedger connected() {
        if (ledger != null) {
            return ledger;
        }
        try {
            ledger = opener.open(number);
        } catch (IncarnationOverException e) {
            lanes.over(String.valueOf(e.getMessage()));
            return null;
        } catch (SQLException e) {
            setback("connect", e.getSQLState() + ": " + e.getMessage());
            return null;
        }
        seq = Math.max(seq, ledger.lastSeq());
        up = true;
        lanes.listener.connection(number, true);
        if (unresolved == null) {
            recovered();
        }
        return ledger;
    }

    private void recovered() {
        if (failing) {
            LOG.log(Level.INFO, "event=lane-recovered lane={0}", number);
        }
        failing = false;
        retryNanos = RETRY_FIRST_NANOS;
    }

    /** Waits a little longer each time; says so the first time. */
    private void setback(String what, String reason) {
        if (!failing) {
            failing = true;
            LOG.log(
                    Level.WARNING,
                    "event=lane-failing lane={0} at={1} reason={2}",
                    number,
                    what,
                    reason);
            lanes.wake();
        }
        batches.refuseAgain();
        if (!lanes.closed()) {
            LockSupport.parkNanos(this, retryNanos);
        }
        retryNanos = Math.min(RETRY_MAX_NANOS, retryNanos * 2);
    }

    private void disconnect() {
        if (ledger != null) {
            ledger.close();
            ledger = null;
            up = false;
            lanes.listener.connection(number, false);
        }
    }

    private boolean resolve(BudgetLedger open, Batch batch) {
        return switch (open.resolve(batch)) {
            case Resolved resolved -> {
                LOG.log(
                        Level.INFO,
                        "event=batch-resolved lane={0} seq={1} was-applied={2}",
                        number,
                        batch.seq(),
                        resolved.applied());
                unresolved = null;
                recovered();
                yield true;
            }
            case Superseded _ -> superseded(batch.seq());
            case Failed failed -> {
                if (failed.reconnect()) {
                    disconnect();
                }
                setback("resolve", failed.reason());
                yield false;
            }
            case Unknown unknown -> lost("resolve", unknown.reason());
        };
    }

    private boolean superseded(long number) {
        lanes.over("lane " + this.number + ", number " + number + " refused");
        return false;
    }

    private boolean lost(String what, String reason) {
        disconnect();
        setback(what, reason);
        return false;
    }

    /**
     * Tells the ledger of one batch of calls that are over, before it decides one: others may be
     * refused for want of their units. One of each in turn, so that neither starves the other.
     * False ends the round.
     */
    private boolean end(BudgetLedger open) {
        Settlement units = returning;
        if (units == null) {
            units = lanes.ended.next(seq + 1, RETURN_WAIT_MILLIS, Batch.CALLS_MAX);
            if (units == null) {
                return true;
            }
            seq = units.seq();
            returning = units;
            returnTries = 0;
            returnUnknown = false;
        }
        return switch (open.settle(units)) {
            case Returned _ -> {
                returning = null;
                recovered();
                yield true;
            }
            case Superseded _ -> superseded(units.seq());
            case Failed failed -> {
                tryReturnAgain(units, failed.reason());
                yield !failed.reconnect() || lost("settle", failed.reason());
            }
            case Unknown unknown -> {
                returnUnknown = true;
                tryReturnAgain(units, unknown.reason());
                yield lost("settle", unknown.reason());
            }
        };
    }

    /**
     * After a refusal the units get a new number; after a lost answer they keep theirs, and nothing
     * else is done on this lane before: that number says whether they are back. In the end they are
     * dropped, which leaves them charged; holds end in full at their time.
     */
    private void tryReturnAgain(Settlement units, String reason) {
        if (++returnTries >= RETURN_TRIES_MAX) {
            LOG.log(
                    Level.WARNING,
                    "event=units-kept lane={0} calls={1} holds={2} reason={3}",
                    number,
                    units.unsent().size(),
                    units.holds().size(),
                    reason);
            returning = null;
        } else if (!returnUnknown) {
            returning = units.withSeq(++seq);
        }
    }

    private void decide(LaneLedger open) {
        pause();
        Batch batch = batches.gather(seq + 1);
        if (batch == null) {
            lastCalls = 0;
            return;
        }
        seq = batch.seq();
        lastCalls = batches.calls().size();
        boolean full = lastCalls == Batch.CALLS_MAX || batches.hasAgain();
        if (full) {
            lanes.wake();
        }
        long sent = lanes.ticker.getAsLong();
        BudgetLedger.Answer answer = open.admit(batch);
        long took = lanes.ticker.getAsLong() - sent;
        long lockWait = handle(open, batch, answer, sent);
        lanes.listener.batch(number, lastCalls, took, lockWait);
        if (lanes.pace.round(full, lockWait, took)) {
            lanes.wake();
        }
    }

    /** Lets a batch grow a little where batches are large anyway; small ones would only be late. */
    private void pause() {
        if (lastCalls >= LARGE_BATCH && lanes.waiting.size() < lastCalls) {
            LockSupport.parkNanos(this, GATHER_NANOS);
        }
    }

    private long handle(LaneLedger open, Batch batch, BudgetLedger.Answer answer, long sentNanos) {
        switch (answer) {
            case Decided decided -> {
                deliver(batch, decided, sentNanos);
                recovered();
                return decided.lockWaitMicros();
            }
            case Replan _ -> replan(open);
            case Late late -> {
                batches.tryAgain();
                return late.lockWaitMicros();
            }
            case Superseded _ -> {
                batches.refuse();
                superseded(batch.seq());
            }
            case Failed failed -> {
                batches.refuse();
                if (failed.reconnect()) {
                    disconnect();
                }
                setback("admit", failed.reason());
            }
            case Unknown unknown -> {
                unresolved = batch;
                batches.refuse();
                lost("admit", unknown.reason());
            }
        }
        return 0;
    }

    /** The calls are judged again when they are gathered again, by the state that is read here. */
    private void replan(LaneLedger open) {
        try {
            open.refresh(lanes.control);
            batches.tryAgain();
        } catch (SQLException e) {
            batches.refuse();
            lost("replan", e.getSQLState() + ": " + e.getMessage());
        }
    }

    private void deliver(Batch batch, Decided decided, long sentNanos) {
        BatchOutcome outcome = new BatchOutcome(batch, decided);
        learn(batch, decided, outcome, sentNanos);
        List<WaitingCall> calls = batches.calls();
        for (int i = 0; i < calls.size(); i++) {
            WaitingCall call = calls.get(i);
            if (!outcome.admitted(i)) {
                wake.answer(call, outcome.refuse(i));
            } else if (!wake.answer(call, outcome.admit(i, call))) {
                lanes.giveBack(call);
            }
        }
        wake.finish();
        batches.done();
    }

    private void learn(Batch batch, Decided decided, BatchOutcome outcome, long sentNanos) {
        boolean[] shortOf = outcome.shortOf();
        for (int d = 0; d < shortOf.length; d++) {
            Crossing.look(
                    batch.demands().get(d).counter(),
                    decided.levels().get(d),
                    lanes.listener::crossed);
            lanes.denials.learn(
                    batch.demands().get(d).counter(),
                    batch.epoch(),
                    decided.levels().get(d),
                    shortOf[d],
                    sentNanos);
        }
    }
}

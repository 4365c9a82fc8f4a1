package io.penstock.cluster.admission;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.DenialMemory;
import io.penstock.budget.Standing;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Combines calls that wait for admission into batches and has each batch decided in one
 * transaction.
 *
 * <p><b>Guarantee.</b> A call that is told {@link Verdict.Admitted} was charged and journaled
 * durably, under the control epoch that it names and after it was judged under that epoch's state.
 * Every caller is answered by the deadline; what was charged for a caller that is gone by then is
 * given back.
 *
 * <p><b>Failure.</b> Without a database, calls are refused as {@link Verdict.Unavailable} at their
 * deadline and, when too many wait, as {@link Verdict.Overloaded} at once. A batch whose answer was
 * lost is refused, and undone before its lane does anything else. Units that cannot be given back
 * stay charged: never a unit too many, at worst some too few.
 *
 * <p><b>Threads.</b> Callers park; each lane is a platform thread with a connection of its own
 * (busy carriers would starve a virtual one), one more watches deadlines. {@link #start} and {@link
 * #close} once each. One object serves one incarnation.
 *
 * <p><b>Cost.</b> For a caller: one compare-and-set, one park. A call that a used-up budget must
 * refuse costs a look-up and no database work.
 */
public final class Lanes implements Admission, AutoCloseable {
    private static final Logger LOG = System.getLogger(Lanes.class.getName());

    /** A call with less time left than that is refused: a round trip may not fit. */
    static final long LEAST_NANOS = 50_000_000L;

    private static final long SWEEP_NANOS = 10_000_000L;
    private static final long TELL_NANOS = 1_000_000_000L;
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);

    final ControlSource control;
    final AdmissionListener listener;
    final LongSupplier ticker;
    final DenialMemory denials = new DenialMemory();
    final WaitingCalls waiting;
    final EndedCalls ended = new EndedCalls();
    final LanePace pace;

    private final LanesConfig config;
    private final Runnable incarnationOver;
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Lane> lanes = new ArrayList<>();
    private final Thread sweeper;
    private volatile boolean closed;

    /**
     * @param incarnationOver called once, when the ledger says that this incarnation was fenced;
     *     nothing is admitted from then on
     * @param ticker this process's monotonic clock, nanoseconds
     */
    public Lanes(
            LanesConfig config,
            LaneOpener opener,
            ControlSource control,
            AdmissionListener listener,
            Runnable incarnationOver,
            LongSupplier ticker) {
        this.config = config;
        this.control = control;
        this.listener = listener;
        this.incarnationOver = incarnationOver;
        this.ticker = ticker;
        waiting = new WaitingCalls(config.queue());
        pace = new LanePace(config.lanes());
        for (int i = 0; i < config.lanes(); i++) {
            lanes.add(new Lane(i, this, opener));
        }
        sweeper = Thread.ofPlatform().daemon().name("penstock-deadlines").unstarted(this::sweep);
    }

    /** Begins to connect and to admit. */
    public void start() {
        for (Lane lane : lanes) {
            lane.start();
        }
        sweeper.start();
    }

    @Override
    public Verdict admit(AdmissionRequest request) {
        long began = ticker.getAsLong();
        Verdict verdict = decide(request, began);
        listener.decided(verdict, ticker.getAsLong() - began);
        return verdict;
    }

    private Verdict decide(AdmissionRequest request, long nowNanos) {
        Budget unpriced = request.claim().unpriced();
        if (unpriced != null) {
            return new Verdict.Unpriced(unpriced);
        }
        Standing denial = denials.refusal(request.claim(), request.snapshot().epoch(), nowNanos);
        if (denial != null) {
            return new Verdict.Exhausted(denial, List.of(denial));
        }
        long deadline = request.arrivedNanos() + config.deadline().toNanos();
        if (closed || deadline - nowNanos < LEAST_NANOS) {
            return Verdict.Unavailable.INSTANCE;
        }
        WaitingCall call = new WaitingCall(request, deadline, Thread.currentThread());
        switch (waiting.push(call)) {
            case FULL -> {
                return Verdict.Overloaded.INSTANCE;
            }
            case FIRST -> wake();
            case BEHIND -> {}
        }
        if (closed) {
            call.answer(Verdict.Unavailable.INSTANCE);
        }
        return call.await();
    }

    @Override
    public void giveBack(Verdict.Admitted admitted) {
        if (admitted.ticket() instanceof WaitingCall call) {
            giveBack(call);
        }
    }

    void giveBack(WaitingCall call) {
        if (call.claimEnd() && ended.offer(call)) {
            wake();
        }
    }

    @Override
    public void settle(Verdict.Admitted admitted, List<Spent> spent) {
        if (admitted.holds().isEmpty()
                || !(admitted.ticket() instanceof WaitingCall call)
                || !call.claimEnd()) {
            return;
        }
        call.spent = List.copyOf(spent);
        learn(call, spent, admitted.holds());
        if (ended.offer(call)) {
            wake();
        }
    }

    /** Budgets that hold what calls cost of late hear what this one cost. */
    private static void learn(WaitingCall call, List<Spent> known, List<Charge> holds) {
        for (Spent spent : known) {
            for (Charge charge : holds) {
                if (charge.counter().equals(spent.counter())) {
                    call.snapshot.rules().budgets().learn(charge, spent.amount());
                }
            }
        }
    }

    /** Forgets what is used up: the database is another one, or its counters were changed. */
    public void forgetDenials() {
        denials.clear();
    }

    /** Calls that wait now. */
    public int waiting() {
        return waiting.size();
    }

    /** Whether at least one lane has a connection. */
    public boolean connected() {
        for (Lane lane : lanes) {
            if (lane.up()) {
                return true;
            }
        }
        return false;
    }

    /** Nothing is admitted any more. */
    boolean closed() {
        return closed;
    }

    /** The ledger refuses this incarnation for good. */
    void over(String reason) {
        if (over.compareAndSet(false, true)) {
            LOG.log(Level.ERROR, "event=incarnation-over reason={0}", reason);
            closed = true;
            waiting.refuseAll();
            incarnationOver.run();
        }
    }

    /**
     * Tells one sleeping lane that there is work. A lane that cannot work now has the next one
     * stand in for it, whatever the pace.
     */
    void wake() {
        int allowed = pace.lanes();
        for (int i = 0; i < lanes.size() && i < allowed; i++) {
            Lane lane = lanes.get(i);
            if (lane.wake()) {
                return;
            }
            if (lane.stuck()) {
                allowed++;
            }
        }
    }

    /** Whether the lane of that number may look for work. */
    boolean mayWork(int lane) {
        int allowed = pace.lanes();
        for (int i = 0; i < lane && i < allowed; i++) {
            if (lanes.get(i).stuck()) {
                allowed++;
            }
        }
        return lane < allowed;
    }

    /** Watches deadlines, so that a caller need not park with a time, which costs a third more. */
    private void sweep() {
        long told = ticker.getAsLong();
        while (!closed) {
            LockSupport.parkNanos(SWEEP_NANOS);
            long now = ticker.getAsLong();
            waiting.expire(now);
            boolean stuck = false;
            for (Lane lane : lanes) {
                stuck |= lane.expire(now);
            }
            if (stuck && waiting.size() > 0) {
                wake();
            }
            listener.waiting(waiting.size(), pace.lanes());
            if (now - told >= TELL_NANOS) {
                told = now;
                tellDropped();
            }
        }
    }

    /** At most once a second, however many there are. */
    private void tellDropped() {
        long dropped = ended.dropped();
        if (dropped > 0) {
            LOG.log(Level.WARNING, "event=units-kept calls={0} reason=queue-full", dropped);
        }
    }

    /**
     * Refuses every caller, returns what can be returned, and ends the lanes; waits two seconds at
     * most.
     */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(sweeper);
        waiting.refuseAll();
        lanes.forEach(Lane::wake);
        lanes.forEach(Lane::unpark);
        long until = ticker.getAsLong() + CLOSE_WAIT.toNanos();
        try {
            for (Lane lane : lanes) {
                lane.join(Duration.ofNanos(Math.max(1, until - ticker.getAsLong())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

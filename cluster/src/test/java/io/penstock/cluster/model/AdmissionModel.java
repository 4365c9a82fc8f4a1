package io.penstock.cluster.model;

import io.penstock.cluster.model.Explorer.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The admission transaction as steps that interleave: replicas with one lane each, batches of one
 * call that asks one unit of one counter of a fixed window.
 *
 * <p>Modelled: the message on its way, the fence by sequence number, the shard's lock, the clock,
 * the snapshot that is read, the commit, an answer that is lost, a replica that gives up waiting
 * and resolves while its message is still on its way, crashes, the sweeper's fence, the window's
 * turn. Not modelled: several counters (all or none is arithmetic under one lock), batches of
 * several calls, errors that charge nothing.
 */
final class AdmissionModel {

    /** Steps of the protocol that a broken variant leaves out or does too early. */
    enum Broken {
        /** The clock is read before the lock is held. */
        CLOCK_BEFORE_LOCK,
        /** Lock and read share one statement, whose snapshot is older than the lock. */
        SNAPSHOT_BEFORE_LOCK,
        /** A resolve does not use the number up, so that a late batch is applied afterwards. */
        LATE_BATCH_NOT_FENCED,
        /** A resolve gives back without looking whether the batch was undone before. */
        RESOLVE_TWICE,
        /** What a dead replica's lane still has on its way is applied after the sweep. */
        SWEEP_WITHOUT_FENCE
    }

    /** Where a batch is. */
    enum Phase {
        NONE,
        ON_ITS_WAY,
        /** Fence passed, waits for the lock. */
        BEGUN,
        LOCKED,
        READ,
        /** Committed; the answer is on its way. */
        DECIDED
    }

    /** What the replica knows of its batch. */
    enum View {
        IDLE,
        WAITS,
        /** Gave up waiting; must resolve before anything else. */
        UNKNOWN,
        DEAD
    }

    /**
     * One replica, its lane row and the batch on it.
     *
     * @param seq the number of the batch on its way
     * @param lane the last number used, in the database
     * @param charged whether the batch of {@code lane} charged and was not undone, and in which
     *     window; -1 = no
     */
    record Replica(
            View view,
            Phase phase,
            int seq,
            int lane,
            int clock,
            int usedRead,
            int indexRead,
            int charged,
            boolean admitted,
            int asked,
            boolean fenced) {
        Replica to(Phase next) {
            return new Replica(
                    view, next, seq, lane, clock, usedRead, indexRead, charged, admitted, asked,
                    fenced);
        }

        Replica as(View next) {
            return new Replica(
                    next, phase, seq, lane, clock, usedRead, indexRead, charged, admitted, asked,
                    fenced);
        }

        Replica reads(int clockNow, int used, int index) {
            return new Replica(
                    view, phase, seq, lane, clockNow, used, index, charged, admitted, asked,
                    fenced);
        }

        Replica row(int number, int chargedIn) {
            return new Replica(
                    view, phase, seq, number, clock, usedRead, indexRead, chargedIn, admitted,
                    asked, fenced);
        }

        Replica decided(boolean yes) {
            return new Replica(
                    view, phase, seq, lane, clock, usedRead, indexRead, charged, yes, asked,
                    fenced);
        }

        Replica sends() {
            return new Replica(
                    View.WAITS,
                    Phase.ON_ITS_WAY,
                    seq + 1,
                    lane,
                    0,
                    0,
                    0,
                    charged,
                    false,
                    asked + 1,
                    fenced);
        }

        Replica fence() {
            return new Replica(
                    view, phase, seq, lane, clock, usedRead, indexRead, charged, admitted, asked,
                    true);
        }
    }

    /**
     * @param now the window that the clock is in
     * @param sent calls that went to the upstream, by window
     * @param crashed a replica died: units may have been wasted
     */
    record State(
            List<Replica> replicas,
            int now,
            int index,
            int used,
            int lockedBy,
            List<Integer> sent,
            boolean crashed) {}

    private final int replicas;
    private final int limit;
    private final int windows;
    private final int calls;
    private final Set<Broken> broken;

    /**
     * @param calls calls of each replica
     */
    AdmissionModel(int replicas, int limit, int windows, int calls, Broken... broken) {
        this.replicas = replicas;
        this.limit = limit;
        this.windows = windows;
        this.calls = calls;
        this.broken = EnumSet.noneOf(Broken.class);
        this.broken.addAll(Arrays.asList(broken));
    }

    State start() {
        Replica idle = new Replica(View.IDLE, Phase.NONE, 0, 0, 0, 0, 0, -1, false, 0, false);
        List<Replica> all = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            all.add(idle);
        }
        List<Integer> sent = new ArrayList<>();
        for (int i = 0; i < windows; i++) {
            sent.add(0);
        }
        return new State(List.copyOf(all), 0, 0, 0, -1, List.copyOf(sent), false);
    }

    /** What must never be. */
    @Nullable String wrong(State state) {
        for (int window = 0; window < windows; window++) {
            if (state.sent().get(window) > limit) {
                return state.sent().get(window) + " sent in window " + window;
            }
        }
        if (state.used() < 0) {
            return "less than nothing is used";
        }
        if (quiet(state) && !state.crashed() && state.used() != state.sent().get(state.index())) {
            return state.used()
                    + " charged in window "
                    + state.index()
                    + ", "
                    + state.sent().get(state.index())
                    + " sent";
        }
        return null;
    }

    private static boolean quiet(State state) {
        return state.replicas().stream()
                .allMatch(r -> r.view() == View.IDLE && r.phase() == Phase.NONE);
    }

    List<Step<State>> steps(State state) {
        List<Step<State>> steps = new ArrayList<>();
        if (state.now() + 1 < windows) {
            steps.add(
                    new Step<>(
                            "turn",
                            new State(
                                    state.replicas(),
                                    state.now() + 1,
                                    state.index(),
                                    state.used(),
                                    state.lockedBy(),
                                    state.sent(),
                                    state.crashed())));
        }
        for (int i = 0; i < replicas; i++) {
            // Equal replicas are interchangeable: only the first of several equal ones moves.
            if (state.replicas().indexOf(state.replicas().get(i)) == i || state.lockedBy() == i) {
                replica(steps, state, i);
            }
        }
        return steps;
    }

    private void replica(List<Step<State>> steps, State state, int i) {
        Replica r = state.replicas().get(i);
        if (r.view() == View.IDLE && r.phase() == Phase.NONE && r.asked() < calls) {
            steps.add(new Step<>(i + " sends", with(state, i, r.sends())));
        }
        if (r.view() == View.WAITS) {
            steps.add(new Step<>(i + " gives up", with(state, i, r.as(View.UNKNOWN))));
            if (r.phase() == Phase.DECIDED) {
                steps.add(new Step<>(i + " is answered", answered(state, i, r)));
            }
        }
        if (r.view() == View.UNKNOWN) {
            resolve(steps, state, i, r);
        }
        if (r.view() != View.DEAD) {
            steps.add(
                    new Step<>(
                            i + " dies",
                            new State(
                                    with(state, i, r.as(View.DEAD)).replicas(),
                                    state.now(),
                                    state.index(),
                                    state.used(),
                                    state.lockedBy(),
                                    state.sent(),
                                    true)));
        }
        if (r.view() == View.DEAD && !r.fenced() && state.lockedBy() != i) {
            sweep(steps, state, i, r);
        }
        batch(steps, state, i, r);
    }

    private static State answered(State state, int i, Replica r) {
        State next = with(state, i, r.as(View.IDLE).to(Phase.NONE));
        if (!r.admitted()) {
            return next;
        }
        List<Integer> sent = new ArrayList<>(state.sent());
        sent.set(r.charged(), sent.get(r.charged()) + 1);
        return new State(
                next.replicas(),
                next.now(),
                next.index(),
                next.used(),
                next.lockedBy(),
                List.copyOf(sent),
                next.crashed());
    }

    /** One transaction under the lane's row and the shard's lock: here one step. */
    private void resolve(List<Step<State>> steps, State state, int i, Replica r) {
        boolean running =
                r.phase() == Phase.BEGUN || r.phase() == Phase.LOCKED || r.phase() == Phase.READ;
        if (running || state.lockedBy() >= 0) {
            return; // waits for the row, or for the shard
        }
        if (r.lane() < r.seq()) {
            int lane = broken.contains(Broken.LATE_BATCH_NOT_FENCED) ? r.lane() : r.seq();
            steps.add(
                    new Step<>(
                            i + " resolves: not in",
                            with(state, i, r.row(lane, -1).as(View.IDLE))));
            return;
        }
        State undone = state;
        if (r.charged() >= 0) {
            undone = used(state, state.index() == r.charged() ? state.used() - 1 : state.used());
        }
        boolean again = broken.contains(Broken.RESOLVE_TWICE);
        Replica after = again ? r : r.row(r.lane(), -1);
        steps.add(
                new Step<>(
                        i + " resolves: undone",
                        with(undone, i, after.to(Phase.NONE).as(View.IDLE))));
        if (again) {
            steps.add(new Step<>(i + " resolves, answer lost", with(undone, i, after)));
        }
    }

    /** The leader fences a dead replica's lane, then spends what it may have taken. */
    private void sweep(List<Step<State>> steps, State state, int i, Replica r) {
        boolean begun =
                r.phase() == Phase.BEGUN || r.phase() == Phase.LOCKED || r.phase() == Phase.READ;
        if (begun) {
            return; // waits for the lane's row
        }
        if (broken.contains(Broken.SWEEP_WITHOUT_FENCE)) {
            // Forgets the lane: its number starts over, and so do the calls of its next life.
            Replica next =
                    new Replica(
                            View.IDLE, r.phase(), r.seq(), 0, 0, 0, 0, -1, false, r.asked(), false);
            State freed =
                    r.charged() >= 0 && state.index() == r.charged()
                            ? used(state, state.used() - 1)
                            : state;
            steps.add(new Step<>(i + " is swept", with(freed, i, next)));
            return;
        }
        steps.add(new Step<>(i + " is fenced", with(state, i, r.fence())));
    }

    private void batch(List<Step<State>> steps, State state, int i, Replica r) {
        switch (r.phase()) {
            case ON_ITS_WAY -> arrive(steps, state, i, r);
            case BEGUN -> {
                if (state.lockedBy() < 0) {
                    steps.add(
                            new Step<>(
                                    i + " locks", locked(with(state, i, r.to(Phase.LOCKED)), i)));
                }
            }
            case LOCKED -> {
                int clock = broken.contains(Broken.CLOCK_BEFORE_LOCK) ? r.clock() : state.now();
                boolean old = broken.contains(Broken.SNAPSHOT_BEFORE_LOCK);
                Replica next =
                        old
                                ? r.reads(clock, r.usedRead(), r.indexRead())
                                : r.reads(clock, state.used(), state.index());
                steps.add(new Step<>(i + " reads", with(state, i, next.to(Phase.READ))));
            }
            case READ -> steps.add(new Step<>(i + " commits", commit(state, i, r)));
            case DECIDED -> {
                if (r.view() == View.DEAD || r.view() == View.IDLE) {
                    steps.add(
                            new Step<>(
                                    i + "'s answer finds nobody",
                                    with(state, i, r.to(Phase.NONE))));
                }
            }
            case NONE -> {}
        }
    }

    private static void arrive(List<Step<State>> steps, State state, int i, Replica r) {
        if (r.fenced() || r.lane() >= r.seq()) {
            steps.add(new Step<>(i + " is superseded", with(state, i, r.to(Phase.NONE))));
            return;
        }
        // What a statement that began here would see, and when.
        Replica begun = r.row(r.seq(), -1).reads(state.now(), state.used(), state.index());
        steps.add(new Step<>(i + " begins", with(state, i, begun.to(Phase.BEGUN))));
    }

    private State commit(State state, int i, Replica r) {
        // The clock-before-lock variant believes its clock: its window may have gone.
        int index =
                broken.contains(Broken.CLOCK_BEFORE_LOCK)
                        ? r.clock()
                        : Math.max(r.clock(), r.indexRead());
        int before = r.indexRead() == index ? r.usedRead() : 0;
        boolean yes = before < limit;
        State free = locked(state, -1);
        if (!yes) {
            return with(free, i, r.decided(false).to(Phase.DECIDED));
        }
        State charged =
                new State(
                        free.replicas(),
                        free.now(),
                        index,
                        before + 1,
                        free.lockedBy(),
                        free.sent(),
                        free.crashed());
        return with(charged, i, r.row(r.lane(), index).decided(true).to(Phase.DECIDED));
    }

    private static State with(State state, int i, Replica replica) {
        List<Replica> replicas = new ArrayList<>(state.replicas());
        replicas.set(i, replica);
        return new State(
                List.copyOf(replicas),
                state.now(),
                state.index(),
                state.used(),
                state.lockedBy(),
                state.sent(),
                state.crashed());
    }

    private static State used(State state, int used) {
        return new State(
                state.replicas(),
                state.now(),
                state.index(),
                used,
                state.lockedBy(),
                state.sent(),
                state.crashed());
    }

    private static State locked(State state, int by) {
        return new State(
                state.replicas(),
                state.now(),
                state.index(),
                state.used(),
                by,
                state.sent(),
                state.crashed());
    }
}

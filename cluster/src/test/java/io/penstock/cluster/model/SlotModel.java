package io.penstock.cluster.model;

import io.penstock.cluster.model.Explorer.Step;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Slots of a concurrency budget: taken with the admission, given back by the settlement, by undoing
 * a batch whose answer was lost, or by the sweeper when the call's time limit has passed. Each of
 * these is one transaction under the counter's lock, so one step.
 *
 * <p>Modelled: lost answers, a resolve that comes late, a settlement that is dropped, death and
 * fence of a replica whose calls run on, the sweeper, time limits. Not modelled: what admission
 * does by itself ({@link AdmissionModel}), units that are settled by an amount.
 */
final class SlotModel {

    /** What a broken variant does otherwise. */
    enum Broken {
        /** The sweeper ends a hold and leaves its batch to be undone. */
        SWEPT_BATCH_CAN_BE_UNDONE,
        /** A settlement gives back whether or not the hold is still there. */
        SETTLED_WITHOUT_LOOKING,
        /** The sweeper gives back as soon as the replica is fenced. */
        SWEPT_BEFORE_ITS_TIME,
        /** A batch is undone a second time. */
        UNDONE_TWICE
    }

    /** Where a call is. */
    enum Phase {
        NEW,
        /** Admitted or not: the answer was lost. Never sent. */
        UNKNOWN,
        /** At the upstream. */
        RUNS,
        /** Over, and not settled yet. */
        OVER,
        DONE
    }

    /** A slot that a call holds. */
    enum Hold {
        NONE,
        HELD,
        /** The call's time limit has passed. */
        LATE
    }

    record Call(Phase phase, Hold hold) {}

    /**
     * @param lane the call whose batch can be undone, or -1
     */
    record Replica(List<Call> calls, int lane, boolean dead, boolean fenced) {
        Replica with(int call, Phase phase, Hold hold, int lane) {
            List<Call> changed = new ArrayList<>(calls);
            changed.set(call, new Call(phase, hold));
            return new Replica(List.copyOf(changed), lane, dead, fenced);
        }
    }

    record State(int used, List<Replica> replicas) {
        State with(int number, Replica replica, int delta) {
            List<Replica> changed = new ArrayList<>(replicas);
            changed.set(number, replica);
            return new State(used + delta, List.copyOf(changed));
        }
    }

    private final int replicas;
    private final int calls;
    private final int limit;
    private final @Nullable Broken broken;

    SlotModel(int replicas, int calls, int limit, @Nullable Broken broken) {
        this.replicas = replicas;
        this.calls = calls;
        this.limit = limit;
        this.broken = broken;
    }

    State start() {
        List<Call> none = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            none.add(new Call(Phase.NEW, Hold.NONE));
        }
        List<Replica> all = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            all.add(new Replica(List.copyOf(none), -1, false, false));
        }
        return new State(0, List.copyOf(all));
    }

    /** One slot for each hold, and never more calls at the upstream than slots. */
    @Nullable String wrong(State state) {
        int held = 0;
        int running = 0;
        for (Replica replica : state.replicas()) {
            for (Call call : replica.calls()) {
                held += call.hold() == Hold.NONE ? 0 : 1;
                running += call.phase() == Phase.RUNS ? 1 : 0;
            }
        }
        if (running > limit) {
            return running + " calls run, the limit is " + limit;
        }
        return held == state.used() ? null : held + " holds, " + state.used() + " slots in use";
    }

    List<Step<State>> steps(State state) {
        List<Step<State>> steps = new ArrayList<>();
        for (int r = 0; r < replicas; r++) {
            Replica replica = state.replicas().get(r);
            for (int c = 0; c < calls; c++) {
                String name = "" + (char) ('a' + r) + c + " ";
                if (!replica.dead()) {
                    ofReplica(steps, state, r, c, name);
                }
                ofTime(steps, state, r, c, name);
                sweep(steps, state, r, c, name);
            }
            if (!replica.dead()) {
                Replica gone = new Replica(replica.calls(), replica.lane(), true, false);
                steps.add(new Step<>((char) ('a' + r) + " dies", state.with(r, gone, 0)));
            } else if (!replica.fenced()) {
                Replica over = new Replica(replica.calls(), replica.lane(), true, true);
                steps.add(new Step<>((char) ('a' + r) + " is fenced", state.with(r, over, 0)));
            }
        }
        return steps;
    }

    private void ofReplica(List<Step<State>> steps, State state, int r, int c, String name) {
        Replica replica = state.replicas().get(r);
        Call call = replica.calls().get(c);
        switch (call.phase()) {
            case NEW -> {
                boolean turn = true;
                for (int i = 0; i < calls; i++) {
                    turn &= i >= c || replica.calls().get(i).phase() != Phase.NEW;
                    turn &= replica.calls().get(i).phase() != Phase.UNKNOWN;
                }
                if (!turn) {
                    return;
                }
                if (state.used() >= limit) {
                    Replica next = replica.with(c, Phase.DONE, Hold.NONE, replica.lane());
                    steps.add(new Step<>(name + "refused", state.with(r, next, 0)));
                    return;
                }
                Replica sent = replica.with(c, Phase.RUNS, Hold.HELD, c);
                Replica lost = replica.with(c, Phase.UNKNOWN, Hold.HELD, c);
                steps.add(new Step<>(name + "admitted", state.with(r, sent, 1)));
                steps.add(new Step<>(name + "admitted, answer lost", state.with(r, lost, 1)));
            }
            case UNKNOWN -> resolve(steps, state, r, c, name);
            case RUNS -> {
                Replica over = replica.with(c, Phase.OVER, call.hold(), replica.lane());
                steps.add(new Step<>(name + "is over", state.with(r, over, 0)));
            }
            case OVER -> {
                boolean gives =
                        call.hold() != Hold.NONE || broken == Broken.SETTLED_WITHOUT_LOOKING;
                Replica settled = replica.with(c, Phase.DONE, Hold.NONE, replica.lane());
                Replica dropped = replica.with(c, Phase.DONE, call.hold(), replica.lane());
                steps.add(new Step<>(name + "settled", state.with(r, settled, gives ? -1 : 0)));
                steps.add(new Step<>(name + "settlement dropped", state.with(r, dropped, 0)));
            }
            case DONE -> {}
        }
    }

    /** Done, or its answer is lost as well and it is repeated. */
    private void resolve(List<Step<State>> steps, State state, int r, int c, String name) {
        Replica replica = state.replicas().get(r);
        Call call = replica.calls().get(c);
        boolean undoes = replica.lane() == c;
        int left = undoes && broken != Broken.UNDONE_TWICE ? -1 : replica.lane();
        Hold hold = undoes ? Hold.NONE : call.hold();
        int delta = undoes ? -1 : 0;
        State known = state.with(r, replica.with(c, Phase.DONE, hold, left), delta);
        State unknown = state.with(r, replica.with(c, Phase.UNKNOWN, hold, left), delta);
        steps.add(new Step<>(name + "resolved", known));
        steps.add(new Step<>(name + "resolved, answer lost", unknown));
    }

    /** A call ends by its own limit, also one of a dead replica; then what it holds is late. */
    private void ofTime(List<Step<State>> steps, State state, int r, int c, String name) {
        Replica replica = state.replicas().get(r);
        Call call = replica.calls().get(c);
        if (call.hold() == Hold.HELD) {
            Phase phase = call.phase() == Phase.RUNS ? Phase.OVER : call.phase();
            Replica late = replica.with(c, phase, Hold.LATE, replica.lane());
            steps.add(new Step<>(name + "time limit", state.with(r, late, 0)));
        }
    }

    private void sweep(List<Step<State>> steps, State state, int r, int c, String name) {
        Replica replica = state.replicas().get(r);
        Call call = replica.calls().get(c);
        boolean early = broken == Broken.SWEPT_BEFORE_ITS_TIME && replica.fenced();
        if (call.hold() == Hold.LATE || (early && call.hold() == Hold.HELD)) {
            boolean clears = replica.lane() == c && broken != Broken.SWEPT_BATCH_CAN_BE_UNDONE;
            Replica swept = replica.with(c, call.phase(), Hold.NONE, clears ? -1 : replica.lane());
            steps.add(new Step<>(name + "swept", state.with(r, swept, -1)));
        }
    }
}

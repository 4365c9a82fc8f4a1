package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every interleaving of one replica, one operator and one stop, in discrete time: whether a call
 * can start under the state before the stop after the operator was told that it holds.
 *
 * <p>The protocol as written is safe; each variant that drops one of its steps is not, which shows
 * that the model sees what the step is for.
 */
class StopLeaseModelTest {
    private static final int LEASE = 2;
    private static final int END = 8;
    private static final int BEATS = 2;
    private static final int NEVER = -1;

    /** A step of the protocol that a variant leaves out. */
    enum Without {
        /** The beat is committed before the state is read. */
        COMMIT_BEFORE_READ,
        /** The operator waits on a clock of his own, not by the row and the database's clock. */
        OWN_CLOCK,
        /** The acknowledgement waits for sends that were checked under the older state. */
        QUIET_BEFORE_ACKNOWLEDGING,
        /** A renewed lease does not cover a send that was checked before it. */
        SEND_BOUND_TO_ITS_CHECK
    }

    /** What the replica is doing: nothing, begun a beat, half of it answered, all of it. */
    private enum Beat {
        IDLE,
        BEGUN,
        HALF,
        DONE
    }

    /** What the operator has done. */
    private enum Order {
        NONE,
        COMMITTED,
        LISTED,
        CONFIRMED
    }

    private record Replica(
            Beat beat, int startedAt, int readEpoch, int trustedUntil, int view, int beats) {}

    /** {@code checkedUntil}: the lease that a send in progress was checked under, or never. */
    private record State(
            int now,
            Replica replica,
            int checkedUntil,
            int row,
            int rowToCome,
            boolean acknowledged,
            int epoch,
            Order order,
            int listedAt,
            boolean listed) {}

    private static final class Model {
        private final Set<Without> without;
        private final int clockStep;
        private final Set<State> seen = new HashSet<>();
        private final Deque<State> open = new ArrayDeque<>();

        Model(Set<Without> without, int clockStep) {
            this.without = without;
            this.clockStep = clockStep;
        }

        /** Whether a call started under the old state after the confirmation. */
        boolean violated(boolean booting) {
            Replica replica =
                    new Replica(Beat.IDLE, NEVER, 0, booting ? 0 : LEASE, booting ? 0 : 1, 0);
            visit(
                    new State(
                            0,
                            replica,
                            NEVER,
                            booting ? NEVER : LEASE,
                            NEVER,
                            false,
                            1,
                            Order.NONE,
                            NEVER,
                            false));
            while (!open.isEmpty()) {
                State s = open.poll();
                if (sendsAfterConfirmation(s)) {
                    return true;
                }
                successors(s).forEach(this::visit);
            }
            return false;
        }

        private void visit(State s) {
            if (seen.add(s)) {
                open.add(s);
            }
        }

        private boolean keeps(Without step) {
            return !without.contains(step);
        }

        private boolean maySend(State s) {
            int until =
                    keeps(Without.SEND_BOUND_TO_ITS_CHECK)
                            ? s.checkedUntil
                            : s.replica.trustedUntil;
            return s.checkedUntil != NEVER && s.now < until;
        }

        private boolean sendsAfterConfirmation(State s) {
            return s.order == Order.CONFIRMED && maySend(s);
        }

        private List<State> successors(State s) {
            List<State> next = new ArrayList<>();
            if (s.now < END) {
                next.add(at(s, s.now + 1));
            }
            beat(s, next);
            calls(s, next);
            operator(s, next);
            return next;
        }

        private void beat(State s, List<State> next) {
            Replica r = s.replica;
            switch (r.beat) {
                case IDLE -> {
                    if (r.beats < BEATS) {
                        next.add(
                                with(
                                        s,
                                        new Replica(
                                                Beat.BEGUN,
                                                s.now,
                                                r.readEpoch,
                                                r.trustedUntil,
                                                r.view,
                                                r.beats + 1)));
                    }
                }
                case BEGUN ->
                        next.add(
                                keeps(Without.COMMIT_BEFORE_READ)
                                        ? commit(s, s.now + LEASE, Beat.HALF)
                                        : row(read(s, Beat.HALF), s.row, s.now + LEASE));
                case HALF ->
                        next.add(
                                keeps(Without.COMMIT_BEFORE_READ)
                                        ? read(s, Beat.DONE)
                                        : commit(s, s.rowToCome, Beat.DONE));
                case DONE ->
                        next.add(
                                with(
                                        s,
                                        new Replica(
                                                Beat.IDLE,
                                                NEVER,
                                                0,
                                                Math.max(r.trustedUntil, r.startedAt + LEASE),
                                                Math.max(r.view, r.readEpoch),
                                                r.beats)));
            }
        }

        private void calls(State s, List<State> next) {
            boolean sending = s.checkedUntil != NEVER;
            if (s.replica.view == 2
                    && !s.acknowledged
                    && !(sending && keeps(Without.QUIET_BEFORE_ACKNOWLEDGING))) {
                next.add(acknowledged(s));
            }
            if (s.replica.view == 1 && s.now < s.replica.trustedUntil && !sending) {
                next.add(sending(s, s.replica.trustedUntil));
            }
            if (sending) {
                next.add(sending(s, NEVER));
            }
        }

        private void operator(State s, List<State> next) {
            switch (s.order) {
                case NONE -> next.add(order(s, Order.COMMITTED, 2, NEVER, false));
                case COMMITTED -> next.add(order(s, Order.LISTED, s.epoch, s.now, s.row != NEVER));
                case LISTED -> {
                    if (!s.listed || s.acknowledged || leaseOver(s)) {
                        next.add(order(s, Order.CONFIRMED, s.epoch, s.listedAt, s.listed));
                    }
                }
                case CONFIRMED -> {}
            }
        }

        private boolean leaseOver(State s) {
            return keeps(Without.OWN_CLOCK)
                    ? s.now >= s.listedAt + LEASE
                    : s.now + clockStep >= s.row;
        }

        private static State read(State s, Beat beat) {
            Replica r = s.replica;
            return with(
                    s, new Replica(beat, r.startedAt, s.epoch, r.trustedUntil, r.view, r.beats));
        }

        private static State commit(State s, int until, Beat beat) {
            Replica r = s.replica;
            State committed = row(s, until, NEVER);
            return with(
                    committed,
                    new Replica(beat, r.startedAt, r.readEpoch, r.trustedUntil, r.view, r.beats));
        }

        private static State at(State s, int now) {
            return new State(
                    now,
                    s.replica,
                    s.checkedUntil,
                    s.row,
                    s.rowToCome,
                    s.acknowledged,
                    s.epoch,
                    s.order,
                    s.listedAt,
                    s.listed);
        }

        private static State with(State s, Replica replica) {
            return new State(
                    s.now,
                    replica,
                    s.checkedUntil,
                    s.row,
                    s.rowToCome,
                    s.acknowledged,
                    s.epoch,
                    s.order,
                    s.listedAt,
                    s.listed);
        }

        private static State row(State s, int row, int rowToCome) {
            return new State(
                    s.now,
                    s.replica,
                    s.checkedUntil,
                    row,
                    rowToCome,
                    s.acknowledged,
                    s.epoch,
                    s.order,
                    s.listedAt,
                    s.listed);
        }

        private static State sending(State s, int checkedUntil) {
            return new State(
                    s.now,
                    s.replica,
                    checkedUntil,
                    s.row,
                    s.rowToCome,
                    s.acknowledged,
                    s.epoch,
                    s.order,
                    s.listedAt,
                    s.listed);
        }

        private static State acknowledged(State s) {
            return new State(
                    s.now,
                    s.replica,
                    s.checkedUntil,
                    s.row,
                    s.rowToCome,
                    true,
                    s.epoch,
                    s.order,
                    s.listedAt,
                    s.listed);
        }

        private static State order(State s, Order order, int epoch, int listedAt, boolean listed) {
            return new State(
                    s.now,
                    s.replica,
                    s.checkedUntil,
                    s.row,
                    s.rowToCome,
                    s.acknowledged,
                    epoch,
                    order,
                    listedAt,
                    listed);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void protocol_asWritten_isSafe(boolean booting) {
        Model model = new Model(Set.of(), 0);

        assertThat(model.violated(booting)).isFalse();
        assertThat(model.seen).hasSizeGreaterThan(10_000);
    }

    @ParameterizedTest
    @EnumSource(
            value = Without.class,
            names = {"COMMIT_BEFORE_READ", "QUIET_BEFORE_ACKNOWLEDGING", "SEND_BOUND_TO_ITS_CHECK"})
    void protocol_withoutAStep_isCaught(Without step) {
        assertThat(new Model(Set.of(step), 0).violated(true)).isTrue();
    }

    @Test
    void protocol_byTheDatabasesClock_isCaughtWhenItSteps() {
        assertThat(new Model(Set.of(Without.OWN_CLOCK), 2).violated(false)).isTrue();
    }
}

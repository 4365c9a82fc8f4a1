package io.penstock.cluster.model;

import static io.penstock.cluster.model.StopState.ANSWER_ON_ITS_WAY;
import static io.penstock.cluster.model.StopState.CONFIRMED;
import static io.penstock.cluster.model.StopState.FENCED;
import static io.penstock.cluster.model.StopState.LIFTED_BEFORE;
import static io.penstock.cluster.model.StopState.LISTED;
import static io.penstock.cluster.model.StopState.LIVE;
import static io.penstock.cluster.model.StopState.NEW;
import static io.penstock.cluster.model.StopState.RECORDED;
import static io.penstock.cluster.model.StopState.SENT;
import static io.penstock.cluster.model.StopState.UNKNOWN;

import io.penstock.cluster.model.Explorer.Step;
import io.penstock.cluster.model.StopBounds.May;
import io.penstock.cluster.model.StopState.Draft;
import io.penstock.cluster.model.StopState.Order;
import io.penstock.cluster.model.StopState.Replica;
import io.penstock.cluster.model.StopState.Whole;
import java.util.List;

/** What operators do: give a stop, repeat it, list, wait, confirm, lift. */
record OperatorSteps(StopRules rules) {

    /** Everything that this order and its operator can do next. */
    void next(List<Step<StopState>> steps, StopState s, int o) {
        String who = "operator " + o;
        switch (s.get(o, Order.PHASE)) {
            case NEW -> give(steps, s, o, who + " gives stop " + o);
            case SENT -> commitLate(steps, s, o, who);
            case ANSWER_ON_ITS_WAY -> {
                steps.add(rules.step(who + " is answered", s.next().set(o, Order.PHASE, RECORDED)));
                steps.add(
                        rules.step(
                                who + "'s answer is lost", s.next().set(o, Order.PHASE, UNKNOWN)));
            }
            case UNKNOWN -> give(steps, s, o, who + " repeats stop " + o);
            case RECORDED ->
                    steps.add(rules.step(who + " lists the replicas", list(s.next(), o, LISTED)));
            case LISTED -> await(steps, s, o, who);
            default -> {}
        }
        if (rules.may(May.RESUME) && active(s, o)) {
            int lifts = rules.keeps(DroppedStep.RESUMED_BY_SCOPE) ? 1 << o : s.get(Whole.ACTIVE);
            lift(steps, s, s.next(), "stop " + o + " is lifted", 1 << o, lifts);
        }
        if (o == 0 && rules.may(May.RESUME_ALL)) {
            resumeAll(steps, s);
        }
    }

    private void give(List<Step<StopState>> steps, StopState s, int o, String name) {
        boolean first = s.get(o, Order.PHASE) == NEW;
        if (first && rules.drops(DroppedStep.LISTED_BEFORE_COMMIT)) {
            Draft early = s.next().set(o, Order.EPOCH, s.get(Whole.EPOCH) + 1);
            steps.add(rules.step("operator " + o + " lists the replicas", list(early, o, SENT)));
            return;
        }
        if (first && rules.drops(DroppedStep.WAIT_FROM_THE_ORDER)) {
            Draft sent = s.next().set(o, Order.PHASE, SENT).set(o, Order.WAIT, patience(s, o));
            steps.add(rules.step(name + ": on its way", sent));
            return;
        }
        if (first && rules.drops(DroppedStep.EPOCH_APART)) {
            int epoch = s.get(Whole.EPOCH) + 1;
            Draft raised = s.next().set(Whole.EPOCH, epoch).set(o, Order.EPOCH, epoch);
            steps.add(
                    rules.step(name + ": epoch " + epoch, keep(raised).set(o, Order.PHASE, SENT)));
            return;
        }
        if (first && rules.drops(DroppedStep.EPOCH_FROM_SEQUENCE)) {
            int epoch = 2;
            for (int other = 0; other < rules.bounds().orders(); other++) {
                epoch = Math.max(epoch, s.get(other, Order.EPOCH) + 1);
            }
            Draft drawn = s.next().set(o, Order.EPOCH, epoch).set(o, Order.PHASE, SENT);
            steps.add(rules.step(name + ": draws epoch " + epoch, drawn));
            return;
        }
        commit(steps, s, o, name);
    }

    /** Inserts the stop, or touches its row; raises the epoch where it is new. */
    private void commit(List<Step<StopState>> steps, StopState s, int o, String name) {
        if ((s.get(Whole.LIFTED) & 1 << o) != 0) {
            steps.add(
                    rules.step(
                            name + ": was lifted before",
                            s.next().set(o, Order.PHASE, LIFTED_BEFORE)));
            return;
        }
        boolean there = active(s, o);
        if (there && rules.drops(DroppedStep.REPEAT_ONLY_READS)) {
            steps.add(rules.step(name + ": is there", s.next().set(o, Order.PHASE, RECORDED)));
            return;
        }
        Draft d = s.next();
        if (!there) {
            int epoch = s.get(Whole.EPOCH) + 1;
            d.set(Whole.EPOCH, epoch)
                    .set(Whole.ACTIVE, s.get(Whole.ACTIVE) | 1 << o)
                    .set(o, Order.EPOCH, epoch);
        }
        if (rules.may(May.FAIL_OVER)) {
            // The wait for the standby is cut short: success with a warning, which is unknown.
            Draft warned = d.copy();
            int after = rules.keeps(DroppedStep.WARNING_IS_SUCCESS) ? UNKNOWN : RECORDED;
            steps.add(rules.step(name + ": warned", warned.set(o, Order.PHASE, after)));
        }
        int phase = rules.may(May.FAIL_OVER) ? ANSWER_ON_ITS_WAY : RECORDED;
        steps.add(rules.step(name, keep(d).set(o, Order.PHASE, phase)));
        if (!there && rules.drops(DroppedStep.UNKNOWN_IS_RECORDED)) {
            // Lost on its way.
            steps.add(
                    rules.step(
                            name + ": no answer",
                            s.next()
                                    .set(o, Order.PHASE, RECORDED)
                                    .set(o, Order.EPOCH, s.get(Whole.EPOCH))));
        }
    }

    /** The commit of the variants that did something before it. */
    private void commitLate(List<Step<StopState>> steps, StopState s, int o, String who) {
        int epoch = s.get(Whole.EPOCH);
        if (rules.drops(DroppedStep.EPOCH_FROM_SEQUENCE)) {
            epoch = Math.max(epoch, s.get(o, Order.EPOCH));
        } else if (rules.keeps(DroppedStep.EPOCH_APART)) {
            epoch++;
        }
        Draft d = s.next().set(Whole.EPOCH, epoch);
        d.set(Whole.ACTIVE, s.get(Whole.ACTIVE) | 1 << o);
        if (rules.keeps(DroppedStep.EPOCH_APART) && rules.keeps(DroppedStep.EPOCH_FROM_SEQUENCE)) {
            d.set(o, Order.EPOCH, epoch);
        }
        boolean listed = rules.drops(DroppedStep.LISTED_BEFORE_COMMIT);
        d.set(o, Order.PHASE, listed ? LISTED : RECORDED);
        steps.add(rules.step(who + "'s stop is committed", keep(d)));
    }

    private Draft list(Draft d, int o, int phase) {
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            int row = d.get(r, Replica.ROW);
            boolean wanted = (row == LIVE || row == FENCED) && !rules.acknowledged(d, r, o);
            boolean over = d.get(r, Replica.OVER) == 1;
            d.set(r, StopState.wanted(o), over ? 2 : wanted ? 1 : 0);
        }
        if (rules.keeps(DroppedStep.WAIT_FROM_THE_ORDER)) {
            d.set(o, Order.WAIT, patience(d, o));
        }
        return d.set(o, Order.PHASE, phase);
    }

    private int patience(StopState s, int o) {
        return patience(s.next(), o);
    }

    /** The largest lease among the rows. */
    private int patience(Draft d, int o) {
        boolean longest = d.get(Whole.LONG_LEASE) == 1;
        if (rules.keeps(DroppedStep.WAITS_THE_PRESENT_LEASE)) {
            longest = false;
            for (int r = 0; r < rules.bounds().replicas(); r++) {
                longest |=
                        d.get(r, StopState.wanted(o)) == 2
                                || d.get(r, StopState.wanted(o)) == 1
                                        && d.get(r, Replica.ROW_LONG) == 1;
            }
        }
        return longest ? rules.bounds().patience() : 1 + rules.bounds().section();
    }

    private void await(List<Step<StopState>> steps, StopState s, int o, String who) {
        boolean waited = s.get(o, Order.WAIT) == 0;
        if (!waited && rules.may(May.DRIFT) && s.get(o, Order.AHEAD) == 0) {
            steps.add(
                    rules.step(
                            who + "'s clock runs ahead",
                            s.next()
                                    .set(o, Order.WAIT, s.get(o, Order.WAIT) - 1)
                                    .set(o, Order.AHEAD, 1)));
        }
        if (!waited && rules.drops(DroppedStep.FENCED_BY_DATABASE_CLOCK)) {
            steps.add(rules.step("the database's clock steps", s.next().set(o, Order.WAIT, 0)));
        }
        boolean all = true;
        boolean any = false;
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            boolean wanted = s.get(r, StopState.wanted(o)) > 0;
            all &= !wanted;
            any |= !wanted && rules.acknowledged(s.next(), r, o);
        }
        boolean byName = any && rules.drops(DroppedStep.ACKNOWLEDGED_BY_NAME);
        if (all || byName || waited || rules.drops(DroppedStep.FENCED_WITHOUT_WAIT)) {
            Draft d =
                    s.next()
                            .set(o, Order.PHASE, CONFIRMED)
                            .set(o, Order.WAIT, 0)
                            .set(o, Order.AHEAD, 0);
            for (int r = 0; r < rules.bounds().replicas(); r++) {
                d.set(r, StopState.wanted(o), 0);
            }
            steps.add(rules.step(who + " CONFIRMS", d));
        }
    }

    private void resumeAll(List<Step<StopState>> steps, StopState s) {
        int listed = s.get(Whole.RESUMING);
        if (listed == 0) {
            if (s.get(Whole.ACTIVE) != 0) {
                Draft d = s.next().set(Whole.RESUMING, s.get(Whole.ACTIVE) + 1);
                steps.add(rules.step("resume --all lists", d));
            }
            return;
        }
        int named = listed - 1 & s.get(Whole.ACTIVE);
        int lifts = rules.keeps(DroppedStep.RESUMED_UNLISTED) ? named : s.get(Whole.ACTIVE);
        Draft d = s.next().set(Whole.RESUMING, 0);
        if (lifts == 0) {
            steps.add(rules.step("resume --all finds nothing", d));
        } else {
            lift(steps, s, d, "resume --all lifts", named, lifts);
        }
    }

    /** {@code ordered}: what somebody named; {@code lifts}: what is lifted. */
    private void lift(
            List<Step<StopState>> steps,
            StopState s,
            Draft d,
            String name,
            int ordered,
            int lifts) {
        d.set(Whole.EPOCH, s.get(Whole.EPOCH) + 1)
                .set(Whole.ACTIVE, s.get(Whole.ACTIVE) & ~lifts)
                .set(Whole.LIFTED, s.get(Whole.LIFTED) | lifts)
                .set(Whole.TO_LIFT, s.get(Whole.TO_LIFT) | ordered);
        if (rules.may(May.FAIL_OVER)) {
            steps.add(rules.step(name + ": warned", d.copy()));
        }
        steps.add(rules.step(name, keep(d)));
    }

    /** What is committed is on the standby, with everything before it. */
    static Draft keep(Draft d) {
        return d.set(Whole.KEPT_EPOCH, d.get(Whole.EPOCH))
                .set(Whole.KEPT_ACTIVE, d.get(Whole.ACTIVE))
                .set(Whole.KEPT_LIFTED, d.get(Whole.LIFTED));
    }

    static boolean active(StopState s, int order) {
        return (s.get(Whole.ACTIVE) & 1 << order) != 0;
    }
}

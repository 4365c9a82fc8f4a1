package io.penstock.cluster.model;

import static io.penstock.cluster.model.StopState.ASLEEP;
import static io.penstock.cluster.model.StopState.CALL_SENT;
import static io.penstock.cluster.model.StopState.CHECKED;
import static io.penstock.cluster.model.StopState.CHUNK_SENT;
import static io.penstock.cluster.model.StopState.CONFIRMED;
import static io.penstock.cluster.model.StopState.DEAD;
import static io.penstock.cluster.model.StopState.LEAVING;
import static io.penstock.cluster.model.StopState.LISTED;
import static io.penstock.cluster.model.StopState.NONE;
import static io.penstock.cluster.model.StopState.RECORDED;
import static io.penstock.cluster.model.StopState.REFUSED;
import static io.penstock.cluster.model.StopState.UP;

import io.penstock.cluster.model.Explorer.Step;
import io.penstock.cluster.model.StopBounds.May;
import io.penstock.cluster.model.StopState.Draft;
import io.penstock.cluster.model.StopState.Order;
import io.penstock.cluster.model.StopState.Replica;
import io.penstock.cluster.model.StopState.Whole;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lease, send section and stop (protocol page, sections 2 to 6) as steps that interleave: replicas
 * with one sender each, orders to stop with an operator each, one Postgres with a standby.
 *
 * <p><b>Time.</b> One tick for everybody; every clock counts down for itself, and where clocks
 * drift, a replica's may lose one tick in each lease and an operator's may gain one. No step has to
 * happen, but that a send section ends in time while its process runs. So a message that is late, a
 * replica that is slow and a NOTIFY that is lost need no steps of their own: a replica reads the
 * state whenever it likes, or never.
 *
 * <p><b>Sizes.</b> There is no counter of beats, reads, crashes or freezes: they happen as often as
 * they like, and the states are finite. Bounded are replicas, orders (each is given once and lifted
 * once), other changes (two), failovers (one) and the length of the lease in ticks.
 *
 * <p><b>Not modelled.</b> The counters inside the send section ({@link SectionModel}), several
 * senders of a replica, blocks and revisions (they are read with the stops, from one snapshot), the
 * latch of a replica's admin API, and admission ({@link AdmissionModel}).
 */
final class StopModel {
    /** Two, so that what a failover loses can be further than what comes after it. */
    private static final int CHANGES_MAX = 2;

    private final StopRules rules;
    private final OperatorSteps operators;
    private final ReplicaSteps replicas;

    StopModel(StopBounds bounds, DroppedStep... dropped) {
        this(new StopRules(bounds, Set.of(dropped), false));
    }

    StopModel(StopRules rules) {
        this.rules = rules;
        operators = new OperatorSteps(rules);
        replicas = new ReplicaSteps(rules);
    }

    /** A cluster without replicas, and without stops. */
    StopState start() {
        Draft start =
                new StopState(rules.bounds().orders(), rules.bounds().replicas())
                        .next()
                        .set(Whole.EPOCH, 1)
                        .set(Whole.KEPT_EPOCH, 1)
                        .set(Whole.LONG_LEASE, 1);
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            ReplicaSteps.bear(start, r, DEAD);
        }
        return rules.done(start);
    }

    /** What must never be. */
    @Nullable String wrong(StopState s) {
        if (s.get(Whole.WRONG) == CALL_SENT) {
            return "a call was sent that a confirmed stop covers";
        }
        if (s.get(Whole.WRONG) == CHUNK_SENT) {
            return "a stream went on that a confirmed stop covers";
        }
        for (int o = 0; o < rules.bounds().orders(); o++) {
            boolean known = recorded(s.get(o, Order.PHASE));
            if (known && (s.get(Whole.TO_LIFT) & 1 << o) == 0 && !OperatorSteps.active(s, o)) {
                return "stop " + o + " was recorded, nobody lifts it, and it does not hold";
            }
        }
        return null;
    }

    private static boolean recorded(int phase) {
        return phase >= RECORDED && phase <= CONFIRMED;
    }

    /** Whether what no stop covers is sent now, under the newest state. */
    boolean sends(StopState s) {
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            if (s.get(r, Replica.LIFE) == UP
                    && s.get(r, Replica.SECTION) == CHECKED
                    && s.get(r, Replica.SECTION_OLD) == 0
                    && s.get(r, Replica.VIEW_EPOCH) == s.get(Whole.EPOCH)) {
                return true;
            }
        }
        return false;
    }

    /** Whether no stop covers the calls. */
    boolean free(StopState s) {
        return (s.get(Whole.ACTIVE) & rules.bounds().matching()) == 0;
    }

    /**
     * What is wrong if no replica ever does anything again, dead or cut off, but for ending the
     * section that it is in: a recorded stop has to be confirmed as soon as the lease is over.
     */
    @Nullable String unconfirmed(StopState s) {
        for (int o = 0; o < rules.bounds().orders(); o++) {
            int phase = s.get(o, Order.PHASE);
            if ((phase == RECORDED || phase == LISTED) && !confirmsAlone(s, o)) {
                return "stop " + o + " is never confirmed";
            }
        }
        return null;
    }

    private boolean confirmsAlone(StopState from, int o) {
        StopState s = from;
        int ticks = 0;
        while (s.get(o, Order.PHASE) != CONFIRMED) {
            List<Step<StopState>> steps = new ArrayList<>();
            operators.next(steps, s, o);
            Step<StopState> next = find(steps, "CONFIRMS");
            next = next == null ? find(steps, "lists the replicas") : next;
            if (next == null && !timePasses(s)) {
                for (int r = 0; r < rules.bounds().replicas(); r++) {
                    replicas.section(steps, s, r, "replica " + r);
                }
                next = find(steps, "leaves");
            } else if (next == null) {
                if (++ticks > rules.bounds().patience()) {
                    return false;
                }
                next = new Step<>("tick", tick(s));
            }
            if (next == null) {
                return false;
            }
            s = next.next();
        }
        return true;
    }

    private static @Nullable Step<StopState> find(List<Step<StopState>> steps, String end) {
        return steps.stream().filter(s -> s.name().endsWith(end)).findFirst().orElse(null);
    }

    List<Step<StopState>> steps(StopState s) {
        List<Step<StopState>> steps = new ArrayList<>();
        world(steps, s);
        for (int o = 0; o < rules.bounds().orders(); o++) {
            operators.next(steps, s, o);
        }
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            replicas.next(steps, s, r);
        }
        return steps;
    }

    /** Time, the machines, the database's server, the sweeper: whoever asks nobody. */
    private void world(List<Step<StopState>> steps, StopState s) {
        if (timePasses(s)) {
            steps.add(new Step<>("tick", tick(s)));
        }
        if (rules.may(May.FAIL_OVER) && s.get(Whole.SERVER) == 0) {
            steps.add(new Step<>("FAILOVER", failOver(s)));
        }
        if (rules.may(May.CHANGE) && s.get(Whole.CHANGES) < CHANGES_MAX) {
            Draft d = s.next().set(Whole.CHANGES, s.get(Whole.CHANGES) + 1);
            d.set(Whole.EPOCH, s.get(Whole.EPOCH) + 1);
            if (rules.may(May.FAIL_OVER)) {
                steps.add(rules.step("another change: warned", d.copy()));
            }
            steps.add(rules.step("another change", OperatorSteps.keep(d)));
        }
        if (rules.may(May.SHORTEN) && s.get(Whole.LONG_LEASE) == 1) {
            steps.add(rules.step("the lease is shortened", s.next().set(Whole.LONG_LEASE, 0)));
        }
    }

    /** A section of a process that runs ends in time: 0.05 P, after which its connection closes. */
    private boolean timePasses(StopState s) {
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            int life = s.get(r, Replica.LIFE);
            boolean runs = life == UP || life == LEAVING || life == REFUSED;
            if (runs
                    && s.get(r, Replica.SECTION) == CHECKED
                    && s.get(r, Replica.SECTION_AGE) >= rules.bounds().section()
                    && rules.keeps(DroppedStep.SECTION_WITHOUT_END)) {
                return false;
            }
        }
        return true;
    }

    private StopState tick(StopState s) {
        Draft d = s.next();
        for (int o = 0; o < rules.bounds().orders(); o++) {
            d.down(o, Order.WAIT);
        }
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            d.down(r, Replica.ROW_WAIT);
            d.down(r, Replica.OVER_WAIT);
            if (s.get(r, Replica.LIFE) == ASLEEP) {
                continue;
            }
            d.down(r, Replica.TRUST);
            d.down(r, Replica.SECTION_TRUST);
            forget(d, r);
            if (s.get(r, Replica.SECTION) == CHECKED) {
                int age = s.get(r, Replica.SECTION_AGE) + 1;
                d.set(r, Replica.SECTION_AGE, Math.min(age, rules.bounds().section()));
            }
            if (s.get(r, Replica.BEAT) != NONE) {
                int age = Math.min(s.get(r, Replica.BEAT_AGE) + 1, rules.bounds().patience());
                d.set(r, Replica.BEAT_AGE, age);
                // One that can grant nothing any more is given up.
                if (age >= rules.trust(true) && rules.keeps(DroppedStep.LEASE_FROM_THE_ANSWER)) {
                    ReplicaSteps.endBeat(d, r);
                }
            }
        }
        return rules.done(d);
    }

    /** What lagged does not matter once the lease is over. */
    private static void forget(Draft d, int r) {
        if (d.get(r, Replica.TRUST) == 0) {
            d.set(r, Replica.LAGGED, 0);
        }
        if (d.get(r, Replica.SECTION_TRUST) == 0) {
            d.set(r, Replica.SECTION_LAGGED, 0);
        }
    }

    /** The standby goes on with what it has; answers of acknowledgements it lacks are lost. */
    private StopState failOver(StopState s) {
        Draft d =
                s.next()
                        .set(Whole.SERVER, 1)
                        .set(Whole.EPOCH, s.get(Whole.KEPT_EPOCH))
                        .set(Whole.ACTIVE, s.get(Whole.KEPT_ACTIVE))
                        .set(Whole.LIFTED, s.get(Whole.KEPT_LIFTED));
        for (int r = 0; r < rules.bounds().replicas(); r++) {
            if (s.get(r, Replica.ACKNOWLEDGED) > s.get(Whole.KEPT_EPOCH)) {
                d.set(r, Replica.ACKNOWLEDGED, 0);
            }
        }
        return rules.done(d);
    }
}

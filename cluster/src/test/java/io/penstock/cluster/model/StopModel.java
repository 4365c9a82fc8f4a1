package io.penstock.cluster.model;

import io.penstock.cluster.model.Explorer.Step;
import io.penstock.cluster.model.StopState.Draft;
import io.penstock.cluster.model.StopState.Order;
import io.penstock.cluster.model.StopState.Replica;
import io.penstock.cluster.model.StopState.Whole;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
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

    /** What can happen beside the ordinary. */
    enum May {
        /** Clocks run at different rates. */
        DRIFT,
        /** A read that is not a beat's arrives late. */
        READ_LATE,
        /** A process stands still while its clock goes on (SIGSTOP). */
        FREEZE,
        /** A machine sleeps, and its monotonic clock with it. */
        SUSPEND,
        /** A replica is killed, and boots again. */
        DIE,
        /** A replica is cut off from Postgres, and its answers are lost. */
        CUT,
        /** A replica ends cleanly. */
        CLOSE,
        /** The sweeper takes a replica for dead, by a clock that means nothing. */
        SWEEP,
        /** A call leaves a stream open. */
        STREAM,
        /** Waits for the standby are cut short; the standby is promoted. */
        FAIL_OVER,
        /** Something else changes: a key, a block, a revision. */
        CHANGE,
        /** The cluster's lease becomes a shorter one. */
        SHORTEN,
        /** A stop is lifted by its id. */
        RESUME,
        /** Somebody lists what holds, and lifts what he listed. */
        RESUME_ALL
    }

    /** A step of the protocol that a broken variant leaves out, or does too early. */
    enum Dropped {
        /** Section 2: trust counts from the answer, not from before the request. */
        LEASE_FROM_THE_ANSWER,
        /** Section 2: the state is read before the beat is committed. */
        READ_BEFORE_THE_BEAT,
        /** Section 2: any read extends the lease. */
        LISTEN_EXTENDS_THE_LEASE,
        /** Section 2: an older read is installed over a newer state. */
        OLDER_READ_INSTALLED,
        /** Section 2: the lease is extended, the newer state that was read is not installed. */
        TRUST_WITHOUT_INSTALL,
        /** Section 2: a replica trusts as long as an operator waits. */
        NO_MARGIN,
        /** Section 2: a replica opens before its first beat. */
        BOOT_OPEN,
        /** Section 2: a beat whose row is fenced grants a lease. */
        FENCED_TRUSTS,
        /** Section 2: wall clock and monotonic clock are not compared. */
        SUSPENSION_UNSEEN,
        /** Section 2: a lower epoch is taken for no news. */
        LOWER_EPOCH_TRUSTED,
        /** Section 2: a read that failed is taken for a state without stops. */
        FAILED_READ_IS_EMPTY,
        /** Section 2: the operator waits the cluster's lease, not the largest of the rows. */
        WAITS_THE_PRESENT_LEASE,
        /** Section 2: a row names the cluster's lease, not the one that is still trusted by. */
        ROW_NAMES_THE_PRESENT_LEASE,
        /** Section 3: the lease is checked on the present state, the stops on the section's. */
        RENEWED_LEASE_COVERS_OLDER_CHECK,
        /** Section 3: a send section may last. */
        SECTION_WITHOUT_END,
        /** Section 3: a retry is sent without a section of its own. */
        RETRY_WITHOUT_SECTION,
        /** Section 3: a chunk of an open stream is passed on without a lease. */
        STREAM_WITHOUT_LEASE,
        /** Section 3: the lease returns before what is open was judged by the newer state. */
        TRUSTED_BEFORE_CUT,
        /** Section 4: an order whose outcome is unknown counts as recorded. */
        UNKNOWN_IS_RECORDED,
        /** Section 4: a repeat only looks whether the stop is there. */
        REPEAT_ONLY_READS,
        /** Section 4: the epoch is raised in a transaction of its own. */
        EPOCH_APART,
        /** Section 4: epochs come from a sequence. */
        EPOCH_FROM_SEQUENCE,
        /** Section 4: replicas are listed before the stop is committed. */
        LISTED_BEFORE_COMMIT,
        /** Section 4: the wait counts from when the order was sent. */
        WAIT_FROM_THE_ORDER,
        /** Section 4: silent replicas count as fenced at once. */
        FENCED_WITHOUT_WAIT,
        /** Section 4: fenced by the database's clock, which may step. */
        FENCED_BY_DATABASE_CLOCK,
        /** Section 4: any process of that name acknowledges for all of them. */
        ACKNOWLEDGED_BY_NAME,
        /** Section 4: an acknowledgement of an older epoch counts. */
        ACKNOWLEDGED_ANY_EPOCH,
        /** Section 4: what was read is acknowledged, then installed. */
        ACKNOWLEDGED_BEFORE_INSTALL,
        /** Section 4: sends under older states are not waited for. */
        ACKNOWLEDGED_BEFORE_QUIET,
        /** Section 4: what is open is not cut before the acknowledgement. */
        ACKNOWLEDGED_BEFORE_CUT,
        /** Section 4: lifts what has the same scope. */
        RESUMED_BY_SCOPE,
        /** Section 4: {@code resume --all} lifts what holds when it commits. */
        RESUMED_UNLISTED,
        /** Section 5: a commit with a warning counts as recorded. */
        WARNING_IS_SUCCESS,
        /** Section 5: an equal epoch of another server is taken for the same state. */
        SAME_EPOCH_OF_ANOTHER_SERVER,
        /** Section 5: what another server's connection has read is installed. */
        LISTENS_TO_ANOTHER_SERVER,
        /** Section 5: another server is told an epoch that was not read from it. */
        ACKNOWLEDGED_TO_ANOTHER_SERVER,
        /** Section 6: a row is closed while a send is being made. */
        CLOSED_BEFORE_QUIET,
        /** Section 6: the sweeper closes a row as soon as it is fenced. */
        CLOSED_WITHOUT_WAIT
    }

    /**
     * What bounds the states.
     *
     * @param trust ticks that a replica trusts for
     * @param section ticks that a send section may last
     * @param patience ticks that an operator waits
     * @param matching the orders whose scope covers the calls, a bit each
     */
    record Bounds(
            int replicas,
            int orders,
            int trust,
            int section,
            int patience,
            int matching,
            Set<May> may) {
        Bounds {
            may = Set.copyOf(may);
        }

        static Bounds of(int replicas, int orders, May... may) {
            Set<May> all = EnumSet.noneOf(May.class);
            all.addAll(Arrays.asList(may));
            boolean drift = all.contains(May.DRIFT);
            return new Bounds(replicas, orders, drift ? 2 : 1, 1, drift ? 5 : 2, 3, all);
        }

        Bounds lease(int trustTicks, int waitTicks) {
            return new Bounds(replicas, orders, trustTicks, section, waitTicks, matching, may);
        }

        Bounds matching(int bits) {
            return new Bounds(replicas, orders, trust, section, patience, bits, may);
        }
    }

    /** Two, so that what a failover loses can be further than what comes after it. */
    private static final int CHANGES_MAX = 2;

    // What Replica.LIFE says.
    static final int DEAD = 0;
    static final int UP = 1;
    private static final int FROZEN = 2;
    private static final int ASLEEP = 3;

    /** Says that it is closed, and still sends. */
    private static final int LEAVING = 4;

    /** Met a lower epoch: only a restart opens it. */
    private static final int REFUSED = 5;

    // What Replica.BEAT says: how far it is.
    private static final int NONE = 0;
    private static final int BEGUN = 1;
    private static final int COMMITTED = 2;
    private static final int READ = 3;

    /** Read first, not committed yet. */
    private static final int READ_FIRST = 4;

    // What Replica.SECTION says.
    static final int INSIDE = 1;
    static final int CHECKED = 2;

    /** Has written and left, and writes again. */
    private static final int RETRIES = 3;

    // What Replica.ROW says.
    private static final int LIVE = 1;
    private static final int FENCED = 2;
    private static final int CLOSED = 3;

    // What Order.PHASE says.
    private static final int NEW = 0;
    private static final int ANSWER_ON_ITS_WAY = 1;
    private static final int UNKNOWN = 2;
    static final int RECORDED = 3;
    static final int LISTED = 4;
    static final int CONFIRMED = 5;
    private static final int LIFTED_BEFORE = 6;

    /** Sent, not committed; in variants alone. */
    private static final int SENT = 7;

    // What Whole.WRONG says.
    private static final int CALL_SENT = 1;
    private static final int CHUNK_SENT = 2;

    private final Bounds bounds;
    private final Set<Dropped> dropped = EnumSet.noneOf(Dropped.class);
    private final boolean lateSendsCount;

    StopModel(Bounds bounds, Dropped... dropped) {
        this(bounds, false, dropped);
    }

    /**
     * @param lateSendsCount a send whose process stood still between check and write is a violation
     *     too: the protocol cannot prevent it, and leaves it to the upstream
     */
    StopModel(Bounds bounds, boolean lateSendsCount, Dropped... dropped) {
        this.bounds = bounds;
        this.lateSendsCount = lateSendsCount;
        this.dropped.addAll(Arrays.asList(dropped));
    }

    /** A cluster without replicas, and without stops. */
    StopState start() {
        Draft start =
                new StopState(bounds.orders(), bounds.replicas())
                        .next()
                        .set(Whole.EPOCH, 1)
                        .set(Whole.KEPT_EPOCH, 1)
                        .set(Whole.LONG_LEASE, 1);
        for (int r = 0; r < bounds.replicas(); r++) {
            bear(start, r, DEAD);
        }
        return done(start);
    }

    /** What must never be. */
    @Nullable String wrong(StopState s) {
        if (s.get(Whole.WRONG) == CALL_SENT) {
            return "a call was sent that a confirmed stop covers";
        }
        if (s.get(Whole.WRONG) == CHUNK_SENT) {
            return "a stream went on that a confirmed stop covers";
        }
        for (int o = 0; o < bounds.orders(); o++) {
            boolean known = recorded(s.get(o, Order.PHASE));
            if (known && (s.get(Whole.TO_LIFT) & 1 << o) == 0 && !active(s, o)) {
                return "stop " + o + " was recorded, nobody lifts it, and it does not hold";
            }
        }
        return null;
    }

    private static boolean recorded(int phase) {
        return phase >= RECORDED && phase <= CONFIRMED;
    }

    private static boolean active(StopState s, int order) {
        return (s.get(Whole.ACTIVE) & 1 << order) != 0;
    }

    /** Whether what no stop covers is sent now, under the newest state. */
    boolean sends(StopState s) {
        for (int r = 0; r < bounds.replicas(); r++) {
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
        return (s.get(Whole.ACTIVE) & bounds.matching()) == 0;
    }

    /**
     * What is wrong if no replica ever does anything again, dead or cut off, but for ending the
     * section that it is in: a recorded stop has to be confirmed as soon as the lease is over.
     */
    @Nullable String unconfirmed(StopState s) {
        for (int o = 0; o < bounds.orders(); o++) {
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
            order(steps, s, o);
            Step<StopState> next = find(steps, "CONFIRMS");
            next = next == null ? find(steps, "lists the replicas") : next;
            if (next == null && !timePasses(s)) {
                for (int r = 0; r < bounds.replicas(); r++) {
                    section(steps, s, r, "replica " + r);
                }
                next = find(steps, "leaves");
            } else if (next == null) {
                if (++ticks > bounds.patience()) {
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
        for (int o = 0; o < bounds.orders(); o++) {
            order(steps, s, o);
        }
        for (int r = 0; r < bounds.replicas(); r++) {
            replica(steps, s, r);
        }
        return steps;
    }

    // The world

    /** Time, the machines, the database's server, the sweeper: whoever asks nobody. */
    void world(List<Step<StopState>> steps, StopState s) {
        if (timePasses(s)) {
            steps.add(new Step<>("tick", tick(s)));
        }
        if (may(May.FAIL_OVER) && s.get(Whole.SERVER) == 0) {
            steps.add(new Step<>("FAILOVER", failOver(s)));
        }
        if (may(May.CHANGE) && s.get(Whole.CHANGES) < CHANGES_MAX) {
            Draft d = s.next().set(Whole.CHANGES, s.get(Whole.CHANGES) + 1);
            d.set(Whole.EPOCH, s.get(Whole.EPOCH) + 1);
            if (may(May.FAIL_OVER)) {
                steps.add(step("another change: warned", d.copy()));
            }
            steps.add(step("another change", keep(d)));
        }
        if (may(May.SHORTEN) && s.get(Whole.LONG_LEASE) == 1) {
            steps.add(step("the lease is shortened", s.next().set(Whole.LONG_LEASE, 0)));
        }
    }

    /** A section of a process that runs ends in time: 0.05 P, after which its connection closes. */
    private boolean timePasses(StopState s) {
        for (int r = 0; r < bounds.replicas(); r++) {
            int life = s.get(r, Replica.LIFE);
            boolean runs = life == UP || life == LEAVING || life == REFUSED;
            if (runs
                    && s.get(r, Replica.SECTION) == CHECKED
                    && s.get(r, Replica.SECTION_AGE) >= bounds.section()
                    && keeps(Dropped.SECTION_WITHOUT_END)) {
                return false;
            }
        }
        return true;
    }

    private StopState tick(StopState s) {
        Draft d = s.next();
        for (int o = 0; o < bounds.orders(); o++) {
            d.down(o, Order.WAIT);
        }
        for (int r = 0; r < bounds.replicas(); r++) {
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
                d.set(r, Replica.SECTION_AGE, Math.min(age, bounds.section()));
            }
            if (s.get(r, Replica.BEAT) != NONE) {
                int age = Math.min(s.get(r, Replica.BEAT_AGE) + 1, bounds.patience());
                d.set(r, Replica.BEAT_AGE, age);
                // One that can grant nothing any more is given up.
                if (age >= trust(true) && keeps(Dropped.LEASE_FROM_THE_ANSWER)) {
                    endBeat(d, r);
                }
            }
        }
        return done(d);
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
        for (int r = 0; r < bounds.replicas(); r++) {
            if (s.get(r, Replica.ACKNOWLEDGED) > s.get(Whole.KEPT_EPOCH)) {
                d.set(r, Replica.ACKNOWLEDGED, 0);
            }
        }
        return done(d);
    }

    // Operators

    void order(List<Step<StopState>> steps, StopState s, int o) {
        String who = "operator " + o;
        switch (s.get(o, Order.PHASE)) {
            case NEW -> give(steps, s, o, who + " gives stop " + o);
            case SENT -> commitLate(steps, s, o, who);
            case ANSWER_ON_ITS_WAY -> {
                steps.add(step(who + " is answered", s.next().set(o, Order.PHASE, RECORDED)));
                steps.add(step(who + "'s answer is lost", s.next().set(o, Order.PHASE, UNKNOWN)));
            }
            case UNKNOWN -> give(steps, s, o, who + " repeats stop " + o);
            case RECORDED ->
                    steps.add(step(who + " lists the replicas", list(s.next(), o, LISTED)));
            case LISTED -> await(steps, s, o, who);
            default -> {}
        }
        if (may(May.RESUME) && active(s, o)) {
            int lifts = keeps(Dropped.RESUMED_BY_SCOPE) ? 1 << o : s.get(Whole.ACTIVE);
            lift(steps, s, s.next(), "stop " + o + " is lifted", 1 << o, lifts);
        }
        if (o == 0 && may(May.RESUME_ALL)) {
            resumeAll(steps, s);
        }
    }

    private void give(List<Step<StopState>> steps, StopState s, int o, String name) {
        boolean first = s.get(o, Order.PHASE) == NEW;
        if (first && drops(Dropped.LISTED_BEFORE_COMMIT)) {
            Draft early = s.next().set(o, Order.EPOCH, s.get(Whole.EPOCH) + 1);
            steps.add(step("operator " + o + " lists the replicas", list(early, o, SENT)));
            return;
        }
        if (first && drops(Dropped.WAIT_FROM_THE_ORDER)) {
            Draft sent = s.next().set(o, Order.PHASE, SENT).set(o, Order.WAIT, patience(s, o));
            steps.add(step(name + ": on its way", sent));
            return;
        }
        if (first && drops(Dropped.EPOCH_APART)) {
            int epoch = s.get(Whole.EPOCH) + 1;
            Draft raised = s.next().set(Whole.EPOCH, epoch).set(o, Order.EPOCH, epoch);
            steps.add(step(name + ": epoch " + epoch, keep(raised).set(o, Order.PHASE, SENT)));
            return;
        }
        if (first && drops(Dropped.EPOCH_FROM_SEQUENCE)) {
            int epoch = 2;
            for (int other = 0; other < bounds.orders(); other++) {
                epoch = Math.max(epoch, s.get(other, Order.EPOCH) + 1);
            }
            Draft drawn = s.next().set(o, Order.EPOCH, epoch).set(o, Order.PHASE, SENT);
            steps.add(step(name + ": draws epoch " + epoch, drawn));
            return;
        }
        commit(steps, s, o, name);
    }

    /** Inserts the stop, or touches its row; raises the epoch where it is new. */
    private void commit(List<Step<StopState>> steps, StopState s, int o, String name) {
        if ((s.get(Whole.LIFTED) & 1 << o) != 0) {
            steps.add(
                    step(
                            name + ": was lifted before",
                            s.next().set(o, Order.PHASE, LIFTED_BEFORE)));
            return;
        }
        boolean there = active(s, o);
        if (there && drops(Dropped.REPEAT_ONLY_READS)) {
            steps.add(step(name + ": is there", s.next().set(o, Order.PHASE, RECORDED)));
            return;
        }
        Draft d = s.next();
        if (!there) {
            int epoch = s.get(Whole.EPOCH) + 1;
            d.set(Whole.EPOCH, epoch)
                    .set(Whole.ACTIVE, s.get(Whole.ACTIVE) | 1 << o)
                    .set(o, Order.EPOCH, epoch);
        }
        if (may(May.FAIL_OVER)) {
            // The wait for the standby is cut short: success with a warning, which is unknown.
            Draft warned = d.copy();
            int after = keeps(Dropped.WARNING_IS_SUCCESS) ? UNKNOWN : RECORDED;
            steps.add(step(name + ": warned", warned.set(o, Order.PHASE, after)));
        }
        int phase = may(May.FAIL_OVER) ? ANSWER_ON_ITS_WAY : RECORDED;
        steps.add(step(name, keep(d).set(o, Order.PHASE, phase)));
        if (!there && drops(Dropped.UNKNOWN_IS_RECORDED)) {
            // Lost on its way.
            steps.add(
                    step(
                            name + ": no answer",
                            s.next()
                                    .set(o, Order.PHASE, RECORDED)
                                    .set(o, Order.EPOCH, s.get(Whole.EPOCH))));
        }
    }

    /** The commit of the variants that did something before it. */
    private void commitLate(List<Step<StopState>> steps, StopState s, int o, String who) {
        int epoch = s.get(Whole.EPOCH);
        if (drops(Dropped.EPOCH_FROM_SEQUENCE)) {
            epoch = Math.max(epoch, s.get(o, Order.EPOCH));
        } else if (keeps(Dropped.EPOCH_APART)) {
            epoch++;
        }
        Draft d = s.next().set(Whole.EPOCH, epoch);
        d.set(Whole.ACTIVE, s.get(Whole.ACTIVE) | 1 << o);
        if (keeps(Dropped.EPOCH_APART) && keeps(Dropped.EPOCH_FROM_SEQUENCE)) {
            d.set(o, Order.EPOCH, epoch);
        }
        boolean listed = drops(Dropped.LISTED_BEFORE_COMMIT);
        d.set(o, Order.PHASE, listed ? LISTED : RECORDED);
        steps.add(step(who + "'s stop is committed", keep(d)));
    }

    private Draft list(Draft d, int o, int phase) {
        for (int r = 0; r < bounds.replicas(); r++) {
            int row = d.get(r, Replica.ROW);
            boolean wanted = (row == LIVE || row == FENCED) && !acknowledged(d, r, o);
            boolean over = d.get(r, Replica.OVER) == 1;
            d.set(r, StopState.wanted(o), over ? 2 : wanted ? 1 : 0);
        }
        if (keeps(Dropped.WAIT_FROM_THE_ORDER)) {
            d.set(o, Order.WAIT, patience(d, o));
        }
        return d.set(o, Order.PHASE, phase);
    }

    private boolean acknowledged(Draft d, int r, int o) {
        int epoch = d.get(r, Replica.ACKNOWLEDGED);
        return epoch >= d.get(o, Order.EPOCH) || epoch > 0 && drops(Dropped.ACKNOWLEDGED_ANY_EPOCH);
    }

    private int patience(StopState s, int o) {
        return patience(s.next(), o);
    }

    /** The largest lease among the rows. */
    private int patience(Draft d, int o) {
        boolean longest = d.get(Whole.LONG_LEASE) == 1;
        if (keeps(Dropped.WAITS_THE_PRESENT_LEASE)) {
            longest = false;
            for (int r = 0; r < bounds.replicas(); r++) {
                longest |=
                        d.get(r, StopState.wanted(o)) == 2
                                || d.get(r, StopState.wanted(o)) == 1
                                        && d.get(r, Replica.ROW_LONG) == 1;
            }
        }
        return longest ? bounds.patience() : 1 + bounds.section();
    }

    private void await(List<Step<StopState>> steps, StopState s, int o, String who) {
        boolean waited = s.get(o, Order.WAIT) == 0;
        if (!waited && may(May.DRIFT) && s.get(o, Order.AHEAD) == 0) {
            steps.add(
                    step(
                            who + "'s clock runs ahead",
                            s.next()
                                    .set(o, Order.WAIT, s.get(o, Order.WAIT) - 1)
                                    .set(o, Order.AHEAD, 1)));
        }
        if (!waited && drops(Dropped.FENCED_BY_DATABASE_CLOCK)) {
            steps.add(step("the database's clock steps", s.next().set(o, Order.WAIT, 0)));
        }
        boolean all = true;
        boolean any = false;
        for (int r = 0; r < bounds.replicas(); r++) {
            boolean wanted = s.get(r, StopState.wanted(o)) > 0;
            all &= !wanted;
            any |= !wanted && acknowledged(s.next(), r, o);
        }
        boolean byName = any && drops(Dropped.ACKNOWLEDGED_BY_NAME);
        if (all || byName || waited || drops(Dropped.FENCED_WITHOUT_WAIT)) {
            Draft d =
                    s.next()
                            .set(o, Order.PHASE, CONFIRMED)
                            .set(o, Order.WAIT, 0)
                            .set(o, Order.AHEAD, 0);
            for (int r = 0; r < bounds.replicas(); r++) {
                d.set(r, StopState.wanted(o), 0);
            }
            steps.add(step(who + " CONFIRMS", d));
        }
    }

    private void resumeAll(List<Step<StopState>> steps, StopState s) {
        int listed = s.get(Whole.RESUMING);
        if (listed == 0) {
            if (s.get(Whole.ACTIVE) != 0) {
                Draft d = s.next().set(Whole.RESUMING, s.get(Whole.ACTIVE) + 1);
                steps.add(step("resume --all lists", d));
            }
            return;
        }
        int named = listed - 1 & s.get(Whole.ACTIVE);
        int lifts = keeps(Dropped.RESUMED_UNLISTED) ? named : s.get(Whole.ACTIVE);
        Draft d = s.next().set(Whole.RESUMING, 0);
        if (lifts == 0) {
            steps.add(step("resume --all finds nothing", d));
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
        if (may(May.FAIL_OVER)) {
            steps.add(step(name + ": warned", d.copy()));
        }
        steps.add(step(name, keep(d)));
    }

    /** What is committed is on the standby, with everything before it. */
    private static Draft keep(Draft d) {
        return d.set(Whole.KEPT_EPOCH, d.get(Whole.EPOCH))
                .set(Whole.KEPT_ACTIVE, d.get(Whole.ACTIVE))
                .set(Whole.KEPT_LIFTED, d.get(Whole.LIFTED));
    }

    // Replicas

    void replica(List<Step<StopState>> steps, StopState s, int r) {
        String who = "replica " + r;
        int life = s.get(r, Replica.LIFE);
        ends(steps, s, r, who);
        switch (life) {
            case DEAD -> steps.add(step(who + " boots", boot(s, r)));
            case FROZEN, ASLEEP -> steps.add(step(who + " goes on", wake(s, r)));
            case LEAVING, REFUSED -> section(steps, s, r, who);
            default -> {
                beat(steps, s, r, who);
                listen(steps, s, r, who);
                acknowledge(steps, s, r, who);
                section(steps, s, r, who);
                stream(steps, s, r, who);
                halts(steps, s, r, who);
            }
        }
        if (may(May.SWEEP)) {
            sweep(steps, s, r, who);
        }
    }

    private void ends(List<Step<StopState>> steps, StopState s, int r, String who) {
        int life = s.get(r, Replica.LIFE);
        if (life != DEAD && may(May.DIE)) {
            steps.add(step(who + " DIES", bear(s.next(), r, DEAD)));
            if (s.get(r, Replica.ROW) != NONE) {
                Draft gone = bear(s.next(), r, DEAD).set(r, Replica.ROW, NONE);
                steps.add(step(who + " DIES, its row is swept", gone));
            }
        }
        if (life == LEAVING && s.get(r, Replica.SECTION) == NONE) {
            steps.add(step(who + " ends", bear(s.next(), r, DEAD)));
        }
        if (life == UP && may(May.CLOSE)) {
            if (s.get(r, Replica.SECTION) == NONE) {
                Draft closed = bear(s.next(), r, DEAD).set(r, Replica.ROW, NONE);
                steps.add(step(who + " closes", closed));
            } else if (drops(Dropped.CLOSED_BEFORE_QUIET)) {
                Draft leaving = s.next().set(r, Replica.LIFE, LEAVING).set(r, Replica.ROW, NONE);
                steps.add(step(who + " closes, and still sends", leaving));
            }
        }
    }

    private StopState.Draft boot(StopState s, int r) {
        Draft d = bear(s.next(), r, UP);
        d.set(r, Replica.ROW, NONE).set(r, Replica.ROW_LONG, 0).set(r, Replica.ROW_WAIT, 0);
        d.set(r, Replica.VIEW_SERVER, s.get(Whole.SERVER));
        if (drops(Dropped.BOOT_OPEN)) {
            d.set(r, Replica.TRUST, trust(true));
        }
        return d;
    }

    /** Another life of a replica begins or ends; its row stays, and who waits for it. */
    private static Draft bear(Draft d, int r, int life) {
        int row = d.get(r, Replica.ROW);
        int rowLong = d.get(r, Replica.ROW_LONG);
        int rowWait = d.get(r, Replica.ROW_WAIT);
        int first = d.get(r, Replica.WANTED_0);
        int second = d.get(r, Replica.WANTED_1);
        int over = d.get(r, Replica.OVER);
        int overWait = d.get(r, Replica.OVER_WAIT);
        for (Replica cell : CELLS) {
            d.set(r, cell, 0);
        }
        return d.set(r, Replica.LIFE, life)
                .set(r, Replica.APPLIED, 1)
                .set(r, Replica.OVER, over)
                .set(r, Replica.OVER_WAIT, overWait)
                .set(r, Replica.ROW, row)
                .set(r, Replica.ROW_LONG, rowLong)
                .set(r, Replica.ROW_WAIT, rowWait)
                .set(r, Replica.WANTED_0, first)
                .set(r, Replica.WANTED_1, second);
    }

    private static final List<Replica> CELLS = List.of(Replica.values());

    private void halts(List<Step<StopState>> steps, StopState s, int r, String who) {
        if (may(May.FREEZE)) {
            steps.add(step(who + " FREEZES", s.next().set(r, Replica.LIFE, FROZEN)));
        }
        if (may(May.SUSPEND)) {
            steps.add(step(who + " SLEEPS", s.next().set(r, Replica.LIFE, ASLEEP)));
        }
        if (may(May.CUT)) {
            boolean cut = s.get(r, Replica.CUT) == 1;
            Draft d = s.next().set(r, Replica.CUT, cut ? 0 : 1);
            if (!cut) {
                endBeat(d, r);
                endListen(d, r);
            }
            steps.add(step(who + (cut ? " reaches Postgres again" : " is CUT OFF"), d));
        }
        if (may(May.DRIFT)) {
            boolean present = lag(s, r, Replica.TRUST, Replica.LAGGED);
            boolean older = lag(s, r, Replica.SECTION_TRUST, Replica.SECTION_LAGGED);
            if (present || older) {
                Draft d = s.next();
                if (present) {
                    d.set(r, Replica.TRUST, s.get(r, Replica.TRUST) + 1).set(r, Replica.LAGGED, 1);
                }
                if (older) {
                    d.set(r, Replica.SECTION_TRUST, s.get(r, Replica.SECTION_TRUST) + 1)
                            .set(r, Replica.SECTION_LAGGED, 1);
                }
                steps.add(step(who + "'s clock lags", d));
            }
        }
    }

    private static boolean lag(StopState s, int r, Replica ticks, Replica lagged) {
        return s.get(r, ticks) > 0 && s.get(r, lagged) == 0;
    }

    /** After a sleep the wall clock tells what the monotonic one has missed. */
    private Draft wake(StopState s, int r) {
        Draft d = s.next().set(r, Replica.LIFE, UP);
        if (s.get(r, Replica.SECTION) == CHECKED) {
            d.set(r, Replica.SECTION_LATE, 1).set(r, Replica.SECTION_AGE, 0);
        }
        if (s.get(r, Replica.LIFE) == ASLEEP && keeps(Dropped.SUSPENSION_UNSEEN)) {
            distrust(d, r);
            endBeat(d, r);
        }
        return d;
    }

    private static void distrust(Draft d, int r) {
        d.set(r, Replica.TRUST, 0)
                .set(r, Replica.SECTION_TRUST, 0)
                .set(r, Replica.SECTION_LAGGED, 0)
                .set(r, Replica.LAGGED, 0)
                .set(r, Replica.TRUST_LONG, 0);
    }

    private void beat(List<Step<StopState>> steps, StopState s, int r, String who) {
        boolean reached = s.get(r, Replica.CUT) == 0;
        boolean readsFirst = drops(Dropped.READ_BEFORE_THE_BEAT);
        switch (s.get(r, Replica.BEAT)) {
            case NONE -> {
                if (reached) {
                    steps.add(step(who + " beats", s.next().set(r, Replica.BEAT, BEGUN)));
                }
            }
            case BEGUN -> {
                if (readsFirst) {
                    steps.add(step(who + "'s beat reads", read(s.next(), r, READ_FIRST)));
                } else {
                    steps.add(step(who + "'s beat is committed", commitBeat(s, r, COMMITTED)));
                }
            }
            case READ_FIRST ->
                    steps.add(step(who + "'s beat is committed", commitBeat(s, r, READ)));
            case COMMITTED -> {
                Draft d = read(s.next(), r, READ);
                if (may(May.READ_LATE)) {
                    steps.add(step(who + "'s beat reads", d));
                } else {
                    steps.add(step(who + "'s beat reads and returns", answered(d, r)));
                }
                if (drops(Dropped.FAILED_READ_IS_EMPTY)) {
                    Draft failed = read(s.next(), r, READ).set(r, Replica.READ_STOPS, 0);
                    steps.add(step(who + "'s read fails", failed));
                }
            }
            default -> steps.add(step(who + "'s beat returns", answered(s.next(), r)));
        }
        if (s.get(r, Replica.BEAT) != NONE) {
            Draft d = s.next();
            endBeat(d, r);
            steps.add(step(who + "'s beat fails", d));
        }
    }

    private Draft commitBeat(StopState s, int r, int phase) {
        Draft d = s.next();
        boolean longLease = s.get(Whole.LONG_LEASE) == 1;
        int row = s.get(r, Replica.ROW);
        boolean over = row == FENCED || row == CLOSED;
        if (over && keeps(Dropped.FENCED_TRUSTS)) {
            // This incarnation is over: another one of the same process begins with its next beat.
            distrust(d, r);
            endBeat(d, r);
            if (row == FENCED) {
                d.set(r, Replica.OVER, 1).set(r, Replica.OVER_WAIT, s.get(r, Replica.ROW_WAIT));
            }
            for (int o = 0; o < bounds.orders(); o++) {
                d.set(r, StopState.wanted(o), 2 * Math.min(1, s.get(r, StopState.wanted(o))));
            }
            return d.set(r, Replica.ROW, NONE)
                    .set(r, Replica.ROW_LONG, 0)
                    .set(r, Replica.ROW_WAIT, 0)
                    .set(r, Replica.ACKNOWLEDGED, 0);
        }
        if (!over) {
            boolean trusted =
                    s.get(r, Replica.TRUST_LONG) == 1 && keeps(Dropped.ROW_NAMES_THE_PRESENT_LEASE);
            d.set(r, Replica.ROW, LIVE).set(r, Replica.ROW_LONG, longLease || trusted ? 1 : 0);
        }
        if (s.get(r, Replica.VIEW_SERVER) != s.get(Whole.SERVER)
                && keeps(Dropped.SAME_EPOCH_OF_ANOTHER_SERVER)) {
            distrust(d, r);
        }
        return d.set(r, Replica.BEAT, phase).set(r, Replica.BEAT_LONG, longLease ? 1 : 0);
    }

    private static Draft read(Draft d, int r, int phase) {
        return d.set(r, Replica.BEAT, phase)
                .set(r, Replica.READ_EPOCH, d.get(Whole.EPOCH))
                .set(r, Replica.READ_STOPS, d.get(Whole.ACTIVE))
                .set(r, Replica.READ_SERVER, d.get(Whole.SERVER));
    }

    private static void endBeat(Draft d, int r) {
        d.set(r, Replica.BEAT, NONE)
                .set(r, Replica.BEAT_AGE, 0)
                .set(r, Replica.BEAT_LONG, 0)
                .set(r, Replica.READ_EPOCH, 0)
                .set(r, Replica.READ_STOPS, 0)
                .set(r, Replica.READ_SERVER, 0);
    }

    /** Installs what is newer, then trusts it. */
    private Draft answered(Draft d, int r) {
        int epoch = d.get(r, Replica.READ_EPOCH);
        int installed = d.get(r, Replica.VIEW_EPOCH);
        int server = d.get(r, Replica.READ_SERVER);
        boolean another = server != d.get(r, Replica.VIEW_SERVER);
        int longLease = d.get(r, Replica.BEAT_LONG);
        int from = keeps(Dropped.LEASE_FROM_THE_ANSWER) ? d.get(r, Replica.BEAT_AGE) : 0;
        int granted = trust(longLease == 1) - from;
        int stops = d.get(r, Replica.READ_STOPS);
        endBeat(d, r);
        if (another && epoch < installed) {
            if (drops(Dropped.LOWER_EPOCH_TRUSTED)) {
                grant(d, r, granted, longLease);
                return d.set(r, Replica.VIEW_SERVER, server);
            }
            distrust(d, r);
            endListen(d, r);
            return d.set(r, Replica.LIFE, REFUSED);
        }
        boolean newer = epoch > installed;
        if (another && keeps(Dropped.SAME_EPOCH_OF_ANOTHER_SERVER)) {
            newer = true;
        }
        boolean older = epoch < installed;
        if (older && keeps(Dropped.OLDER_READ_INSTALLED)) {
            return d;
        }
        if (older || newer && (installed == 0 || keeps(Dropped.TRUST_WITHOUT_INSTALL))) {
            install(d, r, epoch, stops);
        }
        if (keeps(Dropped.TRUSTED_BEFORE_CUT)) {
            judge(d, r);
        }
        grant(d, r, granted, longLease);
        return d.set(r, Replica.VIEW_SERVER, server);
    }

    private void grant(Draft d, int r, int ticks, int longLease) {
        if (ticks > d.get(r, Replica.TRUST)) {
            d.set(r, Replica.TRUST, ticks).set(r, Replica.LAGGED, 0);
            d.set(r, Replica.TRUST_LONG, longLease);
        }
    }

    /** Under the lease that there is; a send section of the older state keeps its own. */
    private void install(Draft d, int r, int epoch, int stops) {
        int section = d.get(r, Replica.SECTION);
        boolean counts = section == INSIDE || section == CHECKED;
        if (counts && d.get(r, Replica.SECTION_OLD) == 0) {
            d.set(r, Replica.SECTION_OLD, 1);
            if (section == INSIDE && d.get(r, Replica.TRUST) > 0) {
                d.set(r, Replica.SECTION_TRUST, d.get(r, Replica.TRUST))
                        .set(r, Replica.SECTION_LAGGED, d.get(r, Replica.LAGGED));
            }
        }
        d.set(r, Replica.VIEW_EPOCH, epoch).set(r, Replica.VIEW_STOPS, stops);
        if (may(May.STREAM)) {
            d.set(r, Replica.APPLIED, 0);
        }
        if (epoch >= d.get(r, Replica.LISTEN_EPOCH) && keeps(Dropped.OLDER_READ_INSTALLED)) {
            endListen(d, r);
        }
    }

    private void listen(List<Step<StopState>> steps, StopState s, int r, String who) {
        if (s.get(r, Replica.LISTEN) == 1) {
            steps.add(step(who + " installs what it read", listened(s.next(), r)));
            return;
        }
        boolean news =
                s.get(Whole.EPOCH) > s.get(r, Replica.VIEW_EPOCH)
                        || drops(Dropped.LISTEN_EXTENDS_THE_LEASE)
                        || drops(Dropped.OLDER_READ_INSTALLED);
        if (s.get(r, Replica.CUT) == 1 || !news) {
            return;
        }
        Draft d =
                s.next()
                        .set(r, Replica.LISTEN, 1)
                        .set(r, Replica.LISTEN_EPOCH, s.get(Whole.EPOCH))
                        .set(r, Replica.LISTEN_STOPS, s.get(Whole.ACTIVE))
                        .set(r, Replica.LISTEN_SERVER, s.get(Whole.SERVER));
        if (may(May.READ_LATE)) {
            steps.add(step(who + " reads", d));
        } else {
            steps.add(step(who + " reads and installs", listened(d, r)));
        }
    }

    private Draft listened(Draft d, int r) {
        int epoch = d.get(r, Replica.LISTEN_EPOCH);
        int stops = d.get(r, Replica.LISTEN_STOPS);
        boolean another = d.get(r, Replica.LISTEN_SERVER) != d.get(r, Replica.VIEW_SERVER);
        endListen(d, r);
        if (another && keeps(Dropped.LISTENS_TO_ANOTHER_SERVER)) {
            return d;
        }
        if (epoch > d.get(r, Replica.VIEW_EPOCH) || drops(Dropped.OLDER_READ_INSTALLED)) {
            install(d, r, epoch, stops);
        }
        if (drops(Dropped.LISTEN_EXTENDS_THE_LEASE)) {
            grant(d, r, trust(true), 1);
        }
        return d;
    }

    private static void endListen(Draft d, int r) {
        d.set(r, Replica.LISTEN, 0)
                .set(r, Replica.LISTEN_EPOCH, 0)
                .set(r, Replica.LISTEN_STOPS, 0)
                .set(r, Replica.LISTEN_SERVER, 0);
    }

    private void acknowledge(List<Step<StopState>> steps, StopState s, int r, String who) {
        int epoch = s.get(r, Replica.VIEW_EPOCH);
        if (s.get(r, Replica.APPLIED) == 0) {
            steps.add(step(who + " judges what is open", judge(s.next(), r)));
        }
        if (s.get(r, Replica.CUT) == 1) {
            return;
        }
        if (s.get(r, Replica.LISTEN) == 1 && drops(Dropped.ACKNOWLEDGED_BEFORE_INSTALL)) {
            epoch = s.get(r, Replica.LISTEN_EPOCH);
        }
        boolean quiet =
                s.get(r, Replica.SECTION_OLD) == 0 || drops(Dropped.ACKNOWLEDGED_BEFORE_QUIET);
        boolean judged = s.get(r, Replica.APPLIED) == 1 || drops(Dropped.ACKNOWLEDGED_BEFORE_CUT);
        boolean sameServer =
                s.get(r, Replica.VIEW_SERVER) == s.get(Whole.SERVER)
                        || drops(Dropped.ACKNOWLEDGED_TO_ANOTHER_SERVER);
        if (epoch > s.get(r, Replica.ACKNOWLEDGED) && quiet && judged && sameServer) {
            steps.add(step(who + " acknowledges " + epoch, told(s.next(), r, epoch)));
        }
    }

    /** Cuts what is open and covered. */
    private Draft judge(Draft d, int r) {
        if ((d.get(r, Replica.VIEW_STOPS) & bounds.matching()) != 0) {
            d.set(r, Replica.STREAM, 0);
        }
        return d.set(r, Replica.APPLIED, 1);
    }

    /** Operators who wait poll at once: later would only be later. */
    private Draft told(Draft d, int r, int epoch) {
        d.set(r, Replica.ACKNOWLEDGED, epoch);
        for (int o = 0; o < bounds.orders(); o++) {
            boolean waits = d.get(r, StopState.wanted(o)) == 1;
            if (d.get(o, Order.PHASE) == LISTED && waits && acknowledged(d, r, o)) {
                d.set(r, StopState.wanted(o), 0);
            }
        }
        return d;
    }

    private void section(List<Step<StopState>> steps, StopState s, int r, String who) {
        int section = s.get(r, Replica.SECTION);
        boolean covered = (s.get(r, Replica.VIEW_STOPS) & bounds.matching()) != 0;
        if (section == NONE) {
            // Without a lease, or under a stop, it would be refused at the check.
            if (s.get(r, Replica.TRUST) > 0 && !covered && s.get(r, Replica.LIFE) == UP) {
                steps.add(step(who + " enters", s.next().set(r, Replica.SECTION, INSIDE)));
            }
            return;
        }
        steps.add(step(who + " leaves", left(s.next(), r)));
        if (section == INSIDE) {
            boolean own =
                    s.get(r, Replica.SECTION_OLD) == 1
                            && keeps(Dropped.RENEWED_LEASE_COVERS_OLDER_CHECK);
            int trust = s.get(r, own ? Replica.SECTION_TRUST : Replica.TRUST);
            if (trust > 0) {
                Draft d = s.next().set(r, Replica.SECTION, CHECKED);
                d.set(r, Replica.SECTION_TRUST, 0).set(r, Replica.SECTION_LAGGED, 0);
                steps.add(step(who + " checks", d));
            }
            return;
        }
        writes(steps, s, r, who);
    }

    private void writes(List<Step<StopState>> steps, StopState s, int r, String who) {
        boolean excused = s.get(r, Replica.SECTION_LATE) == 1 && !lateSendsCount;
        Draft d = left(s.next(), r);
        if (forbidden(s) && !excused) {
            d.set(Whole.WRONG, CALL_SENT);
        }
        boolean covered = (s.get(r, Replica.VIEW_STOPS) & bounds.matching()) != 0;
        // A call is known before its section, so what was judged meanwhile was cut.
        boolean cut = covered && s.get(r, Replica.APPLIED) == 1;
        if (may(May.STREAM) && !cut && s.get(r, Replica.LIFE) == UP) {
            steps.add(step(who + " SENDS, a stream opens", d.copy().set(r, Replica.STREAM, 1)));
        }
        if (drops(Dropped.RETRY_WITHOUT_SECTION) && s.get(r, Replica.SECTION) == CHECKED) {
            Draft again = d.copy().set(r, Replica.SECTION, RETRIES);
            steps.add(step(who + " SENDS, and will again", again));
        }
        steps.add(step(who + " SENDS", d));
    }

    private static Draft left(Draft d, int r) {
        return d.set(r, Replica.SECTION, NONE)
                .set(r, Replica.SECTION_OLD, 0)
                .set(r, Replica.SECTION_TRUST, 0)
                .set(r, Replica.SECTION_LAGGED, 0)
                .set(r, Replica.SECTION_AGE, 0)
                .set(r, Replica.SECTION_LATE, 0);
    }

    /** Whether a stop that covers the calls is confirmed, and nobody lifts it. */
    private boolean forbidden(StopState s) {
        for (int o = 0; o < bounds.orders(); o++) {
            if (s.get(o, Order.PHASE) == CONFIRMED
                    && (bounds.matching() & 1 << o) != 0
                    && (s.get(Whole.TO_LIFT) & 1 << o) == 0) {
                return true;
            }
        }
        return false;
    }

    private void stream(List<Step<StopState>> steps, StopState s, int r, String who) {
        if (s.get(r, Replica.STREAM) == 0) {
            return;
        }
        steps.add(step(who + "'s stream ends", s.next().set(r, Replica.STREAM, 0)));
        if (forbidden(s) && (s.get(r, Replica.TRUST) > 0 || drops(Dropped.STREAM_WITHOUT_LEASE))) {
            steps.add(step(who + "'s stream GOES ON", s.next().set(Whole.WRONG, CHUNK_SENT)));
        }
    }

    private void sweep(List<Step<StopState>> steps, StopState s, int r, String who) {
        int row = s.get(r, Replica.ROW);
        if (row == LIVE) {
            int wait = bounds.patience() - (may(May.DRIFT) ? 1 : 0);
            Draft d = s.next().set(r, Replica.ROW, FENCED).set(r, Replica.ROW_WAIT, wait);
            steps.add(step(who + " is fenced", d));
        } else if (row == FENCED) {
            boolean waited = s.get(r, Replica.ROW_WAIT) == 0;
            if (waited || drops(Dropped.CLOSED_WITHOUT_WAIT)) {
                Draft d = s.next().set(r, Replica.ROW, CLOSED).set(r, Replica.ROW_WAIT, 0);
                steps.add(step(who + "'s row is closed", d));
            }
        }
        boolean waited = s.get(r, Replica.OVER_WAIT) == 0 || drops(Dropped.CLOSED_WITHOUT_WAIT);
        if (s.get(r, Replica.OVER) == 1 && waited) {
            Draft d = s.next().set(r, Replica.OVER, 0).set(r, Replica.OVER_WAIT, 0);
            steps.add(step(who + "'s earlier row is closed", d));
        }
    }

    // Words

    int trust(boolean longLease) {
        if (drops(Dropped.NO_MARGIN)) {
            return bounds.patience();
        }
        return longLease ? bounds.trust() : 1;
    }

    private boolean may(May what) {
        return bounds.may().contains(what);
    }

    private boolean keeps(Dropped step) {
        return !dropped.contains(step);
    }

    private boolean drops(Dropped step) {
        return dropped.contains(step);
    }

    private Step<StopState> step(String name, Draft next) {
        return new Step<>(name, done(next));
    }

    /** Traces of variants keep who is who. */
    private StopState done(Draft draft) {
        return draft.done(dropped.isEmpty() && !lateSendsCount);
    }
}

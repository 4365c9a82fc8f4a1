package io.penstock.cluster.model;

import static io.penstock.cluster.model.StopState.ASLEEP;
import static io.penstock.cluster.model.StopState.BEGUN;
import static io.penstock.cluster.model.StopState.CALL_SENT;
import static io.penstock.cluster.model.StopState.CHECKED;
import static io.penstock.cluster.model.StopState.CHUNK_SENT;
import static io.penstock.cluster.model.StopState.CLOSED;
import static io.penstock.cluster.model.StopState.COMMITTED;
import static io.penstock.cluster.model.StopState.DEAD;
import static io.penstock.cluster.model.StopState.FENCED;
import static io.penstock.cluster.model.StopState.FROZEN;
import static io.penstock.cluster.model.StopState.INSIDE;
import static io.penstock.cluster.model.StopState.LEAVING;
import static io.penstock.cluster.model.StopState.LISTED;
import static io.penstock.cluster.model.StopState.LIVE;
import static io.penstock.cluster.model.StopState.NONE;
import static io.penstock.cluster.model.StopState.READ;
import static io.penstock.cluster.model.StopState.READ_FIRST;
import static io.penstock.cluster.model.StopState.REFUSED;
import static io.penstock.cluster.model.StopState.RETRIES;
import static io.penstock.cluster.model.StopState.UP;

import io.penstock.cluster.model.Explorer.Step;
import io.penstock.cluster.model.StopBounds.May;
import io.penstock.cluster.model.StopState.Draft;
import io.penstock.cluster.model.StopState.Order;
import io.penstock.cluster.model.StopState.Replica;
import io.penstock.cluster.model.StopState.Whole;
import java.util.List;

/** What replicas do: boot, beat, read, install, judge, acknowledge, send, end. */
record ReplicaSteps(StopRules rules) {

    /** Everything that this replica, and the sweeper with its row, can do next. */
    void next(List<Step<StopState>> steps, StopState s, int r) {
        String who = "replica " + r;
        int life = s.get(r, Replica.LIFE);
        ends(steps, s, r, who);
        switch (life) {
            case DEAD -> steps.add(rules.step(who + " boots", boot(s, r)));
            case FROZEN, ASLEEP -> steps.add(rules.step(who + " goes on", wake(s, r)));
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
        if (rules.may(May.SWEEP)) {
            sweep(steps, s, r, who);
        }
    }

    private void ends(List<Step<StopState>> steps, StopState s, int r, String who) {
        int life = s.get(r, Replica.LIFE);
        if (life != DEAD && rules.may(May.DIE)) {
            steps.add(rules.step(who + " DIES", bear(s.next(), r, DEAD)));
            if (s.get(r, Replica.ROW) != NONE) {
                Draft gone = bear(s.next(), r, DEAD).set(r, Replica.ROW, NONE);
                steps.add(rules.step(who + " DIES, its row is swept", gone));
            }
        }
        if (life == LEAVING && s.get(r, Replica.SECTION) == NONE) {
            steps.add(rules.step(who + " ends", bear(s.next(), r, DEAD)));
        }
        if (life == UP && rules.may(May.CLOSE)) {
            if (s.get(r, Replica.SECTION) == NONE) {
                Draft closed = bear(s.next(), r, DEAD).set(r, Replica.ROW, NONE);
                steps.add(rules.step(who + " closes", closed));
            } else if (rules.drops(DroppedStep.CLOSED_BEFORE_QUIET)) {
                Draft leaving = s.next().set(r, Replica.LIFE, LEAVING).set(r, Replica.ROW, NONE);
                steps.add(rules.step(who + " closes, and still sends", leaving));
            }
        }
    }

    private StopState.Draft boot(StopState s, int r) {
        Draft d = bear(s.next(), r, UP);
        d.set(r, Replica.ROW, NONE).set(r, Replica.ROW_LONG, 0).set(r, Replica.ROW_WAIT, 0);
        d.set(r, Replica.VIEW_SERVER, s.get(Whole.SERVER));
        if (rules.drops(DroppedStep.BOOT_OPEN)) {
            d.set(r, Replica.TRUST, rules.trust(true));
        }
        return d;
    }

    /** Another life of a replica begins or ends; its row stays, and who waits for it. */
    static Draft bear(Draft d, int r, int life) {
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
        if (rules.may(May.FREEZE)) {
            steps.add(rules.step(who + " FREEZES", s.next().set(r, Replica.LIFE, FROZEN)));
        }
        if (rules.may(May.SUSPEND)) {
            steps.add(rules.step(who + " SLEEPS", s.next().set(r, Replica.LIFE, ASLEEP)));
        }
        if (rules.may(May.CUT)) {
            boolean cut = s.get(r, Replica.CUT) == 1;
            Draft d = s.next().set(r, Replica.CUT, cut ? 0 : 1);
            if (!cut) {
                endBeat(d, r);
                endListen(d, r);
            }
            steps.add(rules.step(who + (cut ? " reaches Postgres again" : " is CUT OFF"), d));
        }
        if (rules.may(May.DRIFT)) {
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
                steps.add(rules.step(who + "'s clock lags", d));
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
        if (s.get(r, Replica.LIFE) == ASLEEP && rules.keeps(DroppedStep.SUSPENSION_UNSEEN)) {
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
        boolean readsFirst = rules.drops(DroppedStep.READ_BEFORE_THE_BEAT);
        switch (s.get(r, Replica.BEAT)) {
            case NONE -> {
                if (reached) {
                    steps.add(rules.step(who + " beats", s.next().set(r, Replica.BEAT, BEGUN)));
                }
            }
            case BEGUN -> {
                if (readsFirst) {
                    steps.add(rules.step(who + "'s beat reads", read(s.next(), r, READ_FIRST)));
                } else {
                    steps.add(
                            rules.step(who + "'s beat is committed", commitBeat(s, r, COMMITTED)));
                }
            }
            case READ_FIRST ->
                    steps.add(rules.step(who + "'s beat is committed", commitBeat(s, r, READ)));
            case COMMITTED -> {
                Draft d = read(s.next(), r, READ);
                if (rules.may(May.READ_LATE)) {
                    steps.add(rules.step(who + "'s beat reads", d));
                } else {
                    steps.add(rules.step(who + "'s beat reads and returns", answered(d, r)));
                }
                if (rules.drops(DroppedStep.FAILED_READ_IS_EMPTY)) {
                    Draft failed = read(s.next(), r, READ).set(r, Replica.READ_STOPS, 0);
                    steps.add(rules.step(who + "'s read fails", failed));
                }
            }
            default -> steps.add(rules.step(who + "'s beat returns", answered(s.next(), r)));
        }
        if (s.get(r, Replica.BEAT) != NONE) {
            Draft d = s.next();
            endBeat(d, r);
            steps.add(rules.step(who + "'s beat fails", d));
        }
    }

    private Draft commitBeat(StopState s, int r, int phase) {
        Draft d = s.next();
        boolean longLease = s.get(Whole.LONG_LEASE) == 1;
        int row = s.get(r, Replica.ROW);
        boolean over = row == FENCED || row == CLOSED;
        if (over && rules.keeps(DroppedStep.FENCED_TRUSTS)) {
            // This incarnation is over: another one of the same process begins with its next beat.
            distrust(d, r);
            endBeat(d, r);
            if (row == FENCED) {
                d.set(r, Replica.OVER, 1).set(r, Replica.OVER_WAIT, s.get(r, Replica.ROW_WAIT));
            }
            for (int o = 0; o < rules.bounds().orders(); o++) {
                d.set(r, StopState.wanted(o), 2 * Math.min(1, s.get(r, StopState.wanted(o))));
            }
            return d.set(r, Replica.ROW, NONE)
                    .set(r, Replica.ROW_LONG, 0)
                    .set(r, Replica.ROW_WAIT, 0)
                    .set(r, Replica.ACKNOWLEDGED, 0);
        }
        if (!over) {
            boolean trusted =
                    s.get(r, Replica.TRUST_LONG) == 1
                            && rules.keeps(DroppedStep.ROW_NAMES_THE_PRESENT_LEASE);
            d.set(r, Replica.ROW, LIVE).set(r, Replica.ROW_LONG, longLease || trusted ? 1 : 0);
        }
        if (s.get(r, Replica.VIEW_SERVER) != s.get(Whole.SERVER)
                && rules.keeps(DroppedStep.SAME_EPOCH_OF_ANOTHER_SERVER)) {
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

    static void endBeat(Draft d, int r) {
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
        int from = rules.keeps(DroppedStep.LEASE_FROM_THE_ANSWER) ? d.get(r, Replica.BEAT_AGE) : 0;
        int granted = rules.trust(longLease == 1) - from;
        int stops = d.get(r, Replica.READ_STOPS);
        endBeat(d, r);
        if (another && epoch < installed) {
            if (rules.drops(DroppedStep.LOWER_EPOCH_TRUSTED)) {
                grant(d, r, granted, longLease);
                return d.set(r, Replica.VIEW_SERVER, server);
            }
            distrust(d, r);
            endListen(d, r);
            return d.set(r, Replica.LIFE, REFUSED);
        }
        boolean newer = epoch > installed;
        if (another && rules.keeps(DroppedStep.SAME_EPOCH_OF_ANOTHER_SERVER)) {
            newer = true;
        }
        boolean older = epoch < installed;
        if (older && rules.keeps(DroppedStep.OLDER_READ_INSTALLED)) {
            return d;
        }
        if (older || newer && (installed == 0 || rules.keeps(DroppedStep.TRUST_WITHOUT_INSTALL))) {
            install(d, r, epoch, stops);
        }
        if (rules.keeps(DroppedStep.TRUSTED_BEFORE_CUT)) {
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
        if (rules.may(May.STREAM)) {
            d.set(r, Replica.APPLIED, 0);
        }
        if (epoch >= d.get(r, Replica.LISTEN_EPOCH)
                && rules.keeps(DroppedStep.OLDER_READ_INSTALLED)) {
            endListen(d, r);
        }
    }

    private void listen(List<Step<StopState>> steps, StopState s, int r, String who) {
        if (s.get(r, Replica.LISTEN) == 1) {
            steps.add(rules.step(who + " installs what it read", listened(s.next(), r)));
            return;
        }
        boolean news =
                s.get(Whole.EPOCH) > s.get(r, Replica.VIEW_EPOCH)
                        || rules.drops(DroppedStep.LISTEN_EXTENDS_THE_LEASE)
                        || rules.drops(DroppedStep.OLDER_READ_INSTALLED);
        if (s.get(r, Replica.CUT) == 1 || !news) {
            return;
        }
        Draft d =
                s.next()
                        .set(r, Replica.LISTEN, 1)
                        .set(r, Replica.LISTEN_EPOCH, s.get(Whole.EPOCH))
                        .set(r, Replica.LISTEN_STOPS, s.get(Whole.ACTIVE))
                        .set(r, Replica.LISTEN_SERVER, s.get(Whole.SERVER));
        if (rules.may(May.READ_LATE)) {
            steps.add(rules.step(who + " reads", d));
        } else {
            steps.add(rules.step(who + " reads and installs", listened(d, r)));
        }
    }

    private Draft listened(Draft d, int r) {
        int epoch = d.get(r, Replica.LISTEN_EPOCH);
        int stops = d.get(r, Replica.LISTEN_STOPS);
        boolean another = d.get(r, Replica.LISTEN_SERVER) != d.get(r, Replica.VIEW_SERVER);
        endListen(d, r);
        if (another && rules.keeps(DroppedStep.LISTENS_TO_ANOTHER_SERVER)) {
            return d;
        }
        if (epoch > d.get(r, Replica.VIEW_EPOCH) || rules.drops(DroppedStep.OLDER_READ_INSTALLED)) {
            install(d, r, epoch, stops);
        }
        if (rules.drops(DroppedStep.LISTEN_EXTENDS_THE_LEASE)) {
            grant(d, r, rules.trust(true), 1);
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
            steps.add(rules.step(who + " judges what is open", judge(s.next(), r)));
        }
        if (s.get(r, Replica.CUT) == 1) {
            return;
        }
        if (s.get(r, Replica.LISTEN) == 1 && rules.drops(DroppedStep.ACKNOWLEDGED_BEFORE_INSTALL)) {
            epoch = s.get(r, Replica.LISTEN_EPOCH);
        }
        boolean quiet =
                s.get(r, Replica.SECTION_OLD) == 0
                        || rules.drops(DroppedStep.ACKNOWLEDGED_BEFORE_QUIET);
        boolean judged =
                s.get(r, Replica.APPLIED) == 1 || rules.drops(DroppedStep.ACKNOWLEDGED_BEFORE_CUT);
        boolean sameServer =
                s.get(r, Replica.VIEW_SERVER) == s.get(Whole.SERVER)
                        || rules.drops(DroppedStep.ACKNOWLEDGED_TO_ANOTHER_SERVER);
        if (epoch > s.get(r, Replica.ACKNOWLEDGED) && quiet && judged && sameServer) {
            steps.add(rules.step(who + " acknowledges " + epoch, told(s.next(), r, epoch)));
        }
    }

    /** Cuts what is open and covered. */
    private Draft judge(Draft d, int r) {
        if ((d.get(r, Replica.VIEW_STOPS) & rules.bounds().matching()) != 0) {
            d.set(r, Replica.STREAM, 0);
        }
        return d.set(r, Replica.APPLIED, 1);
    }

    /** Operators who wait poll at once: later would only be later. */
    private Draft told(Draft d, int r, int epoch) {
        d.set(r, Replica.ACKNOWLEDGED, epoch);
        for (int o = 0; o < rules.bounds().orders(); o++) {
            boolean waits = d.get(r, StopState.wanted(o)) == 1;
            if (d.get(o, Order.PHASE) == LISTED && waits && rules.acknowledged(d, r, o)) {
                d.set(r, StopState.wanted(o), 0);
            }
        }
        return d;
    }

    /** Enters, checks, writes, leaves. */
    void section(List<Step<StopState>> steps, StopState s, int r, String who) {
        int section = s.get(r, Replica.SECTION);
        boolean covered = (s.get(r, Replica.VIEW_STOPS) & rules.bounds().matching()) != 0;
        if (section == NONE) {
            // Without a lease, or under a stop, it would be refused at the check.
            if (s.get(r, Replica.TRUST) > 0 && !covered && s.get(r, Replica.LIFE) == UP) {
                steps.add(rules.step(who + " enters", s.next().set(r, Replica.SECTION, INSIDE)));
            }
            return;
        }
        steps.add(rules.step(who + " leaves", left(s.next(), r)));
        if (section == INSIDE) {
            boolean own =
                    s.get(r, Replica.SECTION_OLD) == 1
                            && rules.keeps(DroppedStep.RENEWED_LEASE_COVERS_OLDER_CHECK);
            int trust = s.get(r, own ? Replica.SECTION_TRUST : Replica.TRUST);
            if (trust > 0) {
                Draft d = s.next().set(r, Replica.SECTION, CHECKED);
                d.set(r, Replica.SECTION_TRUST, 0).set(r, Replica.SECTION_LAGGED, 0);
                steps.add(rules.step(who + " checks", d));
            }
            return;
        }
        writes(steps, s, r, who);
    }

    private void writes(List<Step<StopState>> steps, StopState s, int r, String who) {
        boolean excused = s.get(r, Replica.SECTION_LATE) == 1 && !rules.lateSendsCount();
        Draft d = left(s.next(), r);
        if (rules.forbidden(s) && !excused) {
            d.set(Whole.WRONG, CALL_SENT);
        }
        boolean covered = (s.get(r, Replica.VIEW_STOPS) & rules.bounds().matching()) != 0;
        // A call is known before its section, so what was judged meanwhile was cut.
        boolean cut = covered && s.get(r, Replica.APPLIED) == 1;
        if (rules.may(May.STREAM) && !cut && s.get(r, Replica.LIFE) == UP) {
            steps.add(
                    rules.step(who + " SENDS, a stream opens", d.copy().set(r, Replica.STREAM, 1)));
        }
        if (rules.drops(DroppedStep.RETRY_WITHOUT_SECTION)
                && s.get(r, Replica.SECTION) == CHECKED) {
            Draft again = d.copy().set(r, Replica.SECTION, RETRIES);
            steps.add(rules.step(who + " SENDS, and will again", again));
        }
        steps.add(rules.step(who + " SENDS", d));
    }

    private static Draft left(Draft d, int r) {
        return d.set(r, Replica.SECTION, NONE)
                .set(r, Replica.SECTION_OLD, 0)
                .set(r, Replica.SECTION_TRUST, 0)
                .set(r, Replica.SECTION_LAGGED, 0)
                .set(r, Replica.SECTION_AGE, 0)
                .set(r, Replica.SECTION_LATE, 0);
    }

    private void stream(List<Step<StopState>> steps, StopState s, int r, String who) {
        if (s.get(r, Replica.STREAM) == 0) {
            return;
        }
        steps.add(rules.step(who + "'s stream ends", s.next().set(r, Replica.STREAM, 0)));
        if (rules.forbidden(s)
                && (s.get(r, Replica.TRUST) > 0 || rules.drops(DroppedStep.STREAM_WITHOUT_LEASE))) {
            steps.add(rules.step(who + "'s stream GOES ON", s.next().set(Whole.WRONG, CHUNK_SENT)));
        }
    }

    private void sweep(List<Step<StopState>> steps, StopState s, int r, String who) {
        int row = s.get(r, Replica.ROW);
        if (row == LIVE) {
            int wait = rules.bounds().patience() - (rules.may(May.DRIFT) ? 1 : 0);
            Draft d = s.next().set(r, Replica.ROW, FENCED).set(r, Replica.ROW_WAIT, wait);
            steps.add(rules.step(who + " is fenced", d));
        } else if (row == FENCED) {
            boolean waited = s.get(r, Replica.ROW_WAIT) == 0;
            if (waited || rules.drops(DroppedStep.CLOSED_WITHOUT_WAIT)) {
                Draft d = s.next().set(r, Replica.ROW, CLOSED).set(r, Replica.ROW_WAIT, 0);
                steps.add(rules.step(who + "'s row is closed", d));
            }
        }
        boolean waited =
                s.get(r, Replica.OVER_WAIT) == 0 || rules.drops(DroppedStep.CLOSED_WITHOUT_WAIT);
        if (s.get(r, Replica.OVER) == 1 && waited) {
            Draft d = s.next().set(r, Replica.OVER, 0).set(r, Replica.OVER_WAIT, 0);
            steps.add(rules.step(who + "'s earlier row is closed", d));
        }
    }
}

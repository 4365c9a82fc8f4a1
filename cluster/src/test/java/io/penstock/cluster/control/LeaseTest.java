package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseTest {
    private static final int PID = 4711;
    private static final BeatReply REPLY = reply(1000, "cluster", "00000001");

    /** Begins below zero and passes through it, as a monotonic clock may. */
    private long nowNanos = -TimeUnit.MILLISECONDS.toNanos(300);

    private long wallMillis = 1_000_000;
    private final Lease lease = new Lease(() -> nowNanos, () -> Instant.ofEpochMilli(wallMillis));

    @Test
    void judge_goodBeat_trustsThreeQuartersFromItsBeginning() {
        long started = nowNanos;
        Lease.Attempt attempt = lease.begin();
        pass(200);

        Lease.Verdict verdict = lease.judge(attempt, REPLY, PID, 7, 7);

        assertThat(verdict).isEqualTo(new Lease.Verdict.Granted(started + millis(750), 3000));
    }

    @Test
    void judge_fenced_grantsNothing() {
        BeatReply fenced = new BeatReply(true, "cluster", 1000, 1, "00000001", PID, 2_000_000);

        assertThat(lease.judge(lease.begin(), fenced, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.Fenced.class);
    }

    @Test
    void judge_otherServerProcess_refusesForGood() {
        assertThat(lease.judge(lease.begin(), REPLY, PID + 1, 7, 7))
                .isInstanceOfSatisfying(
                        Lease.Verdict.Refused.class,
                        r -> assertThat(r.reason()).contains("pooler"));
        assertThat(lease.judge(lease.begin(), REPLY, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.Refused.class);
    }

    @Test
    void judge_lowerEpoch_refusesForGood() {
        assertThat(lease.judge(lease.begin(), REPLY, PID, 6, 7))
                .isInstanceOfSatisfying(
                        Lease.Verdict.Refused.class,
                        r -> assertThat(r.reason()).contains("from 7 to 6"));
        assertThat(lease.judge(lease.begin(), REPLY, PID, 8, 7))
                .isInstanceOf(Lease.Verdict.Refused.class);
        assertThat(lease.refusal()).isNotNull();
    }

    @Test
    void judge_databaseOfAnotherCluster_refusesForGood() {
        lease.judge(lease.begin(), REPLY, PID, 7, 7);

        assertThat(lease.judge(lease.begin(), reply(1000, "another", "00000001"), PID, 9, 7))
                .isInstanceOf(Lease.Verdict.Refused.class);
    }

    @Test
    void judge_otherTimeline_tellsOnceThenGrants() {
        lease.judge(lease.begin(), REPLY, PID, 7, 7);
        BeatReply promoted = reply(1000, "cluster", "00000002");

        assertThat(lease.judge(lease.begin(), promoted, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.ServerChanged.class);
        assertThat(lease.judge(lease.begin(), promoted, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.Granted.class);
    }

    @Test
    void judge_wallClockJumpedDuringTheBeat_isWithheld() {
        Lease.Attempt attempt = lease.begin();
        pass(10);
        wallMillis += 251;

        assertThat(lease.judge(attempt, REPLY, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.Withheld.class);
    }

    @Test
    void judge_wallClockALittleOff_grants() {
        Lease.Attempt attempt = lease.begin();
        pass(10);
        wallMillis -= 249;

        assertThat(lease.judge(attempt, REPLY, PID, 7, 7))
                .isInstanceOf(Lease.Verdict.Granted.class);
    }

    @Test
    void clocksDisagree_machineWasSuspended_isSeen() {
        lease.judge(lease.begin(), REPLY, PID, 7, 7);
        pass(100);
        assertThat(lease.clocksDisagree()).isFalse();

        wallMillis += 60_000;

        assertThat(lease.clocksDisagree()).isTrue();
    }

    @Test
    void trustingMillis_leaseBecameShorter_staysLongUntilTheLongGrantIsPassed() {
        lease.judge(lease.begin(), reply(4000, "cluster", "00000001"), PID, 7, 7);
        BeatReply shorter = reply(1000, "cluster", "00000001");

        pass(250);
        lease.judge(lease.begin(), shorter, PID, 7, 7);
        assertThat(lease.trustingMillis()).isEqualTo(4000);

        pass(2100);
        lease.judge(lease.begin(), shorter, PID, 7, 7);
        assertThat(lease.trustingMillis()).isEqualTo(1000);
    }

    @Test
    void trustingMillis_leaseBecameLonger_isLongAtOnce() {
        lease.judge(lease.begin(), REPLY, PID, 7, 7);
        pass(250);
        lease.judge(lease.begin(), reply(4000, "cluster", "00000001"), PID, 7, 7);

        assertThat(lease.trustingMillis()).isEqualTo(4000);
    }

    @Test
    void trustingMillis_beforeAnyGrant_isZero() {
        assertThat(lease.trustingMillis()).isZero();
    }

    private void pass(long millis) {
        nowNanos += millis(millis);
        wallMillis += millis;
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static BeatReply reply(int leaseMillis, String cluster, String timeline) {
        return new BeatReply(false, cluster, leaseMillis, 1, timeline, PID, 2_000_000);
    }
}

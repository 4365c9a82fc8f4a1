package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.upstream.Upstream.Permission;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When an upstream is not tried any more, and when it is again. */
final class GateTest {
    private static final long FAST = 1_000_000;
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final Gate gate =
            new Gate(
                    Exchanges.config(URI.create("http://127.0.0.1:1/"), Map.of(), null, 30),
                    now::get);

    private Permission.Granted one() {
        Permission permission = gate.permit();
        assertThat(permission).isInstanceOf(Permission.Granted.class);
        return (Permission.Granted) permission;
    }

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            one().failed(new UpstreamException(UpstreamException.Kind.UNREACHABLE, "x"), FAST);
        }
    }

    private void advance(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void assertRefused(String reason) {
        assertThat(gate.permit()).isEqualTo(new Permission.Refused(reason));
    }

    @Test
    void permit_fewFailures_isGranted() {
        fail(Gate.CALLS_MIN - 1);

        one().unused();
        assertThat(gate.state()).isEqualTo("closed");
    }

    @Test
    void permit_halfOfEnoughCallsFailed_isRefused() {
        for (int i = 0; i < Gate.CALLS_MIN / 2; i++) {
            one().answered(200, FAST);
        }
        fail(Gate.CALLS_MIN / 2);

        assertRefused("circuit-open");
        assertThat(gate.inUse()).isZero();
    }

    @Test
    void permit_failuresOfLongAgo_doNotCount() {
        fail(Gate.CALLS_MIN - 1);
        advance(Duration.ofSeconds(Gate.WINDOW_SECONDS + 1));
        fail(1);

        one().unused();
    }

    @Test
    void permit_badGateway_countsAsFailure() {
        for (int i = 0; i < Gate.CALLS_MIN; i++) {
            one().answered(503, FAST);
        }

        assertRefused("circuit-open");
    }

    @Test
    void permit_serversOwnErrors_areNoFailures() {
        for (int i = 0; i < 10 * Gate.CALLS_MIN; i++) {
            one().answered(i % 2 == 0 ? 500 : 404, FAST);
        }

        one().unused();
    }

    @Test
    void permit_answersThatNearlyTimeOut_open() {
        for (int i = 0; i < Gate.CALLS_MIN; i++) {
            one().answered(200, Duration.ofSeconds(28).toNanos());
        }

        assertRefused("circuit-open");
    }

    @Test
    void permit_afterTheOpenTime_grantsProbesAndClosesWhenTheyWork() {
        fail(Gate.CALLS_MIN);
        advance(Gate.OPEN.plusMillis(1));

        List<Permission.Granted> probes = new ArrayList<>();
        for (int i = 0; i < Gate.PROBES; i++) {
            probes.add(one());
        }
        assertThat(gate.state()).isEqualTo("half-open");
        assertRefused("circuit-open");
        probes.forEach(each -> each.answered(200, FAST));

        one().unused();
        assertThat(gate.state()).isEqualTo("closed");
    }

    @Test
    void permit_beforeTheOpenTimeEnds_isRefused() {
        fail(Gate.CALLS_MIN);
        advance(Gate.OPEN.minusMillis(1));

        assertRefused("circuit-open");
    }

    @Test
    void permit_probesThatFail_openAgain() {
        fail(Gate.CALLS_MIN);
        advance(Gate.OPEN.plusMillis(1));
        fail(Gate.PROBES);

        assertRefused("circuit-open");
    }

    @Test
    void permit_probesThatWereNotUsed_leaveRoomForOthers() {
        fail(Gate.CALLS_MIN);
        advance(Gate.OPEN.plusMillis(1));
        for (int i = 0; i < 10 * Gate.PROBES; i++) {
            one().unused();
        }

        one().unused();
    }

    @Test
    void permit_allPlacesTaken_isRefusedUntilOneIsFree() {
        List<Permission.Granted> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.add(one());
        }

        assertRefused("bulkhead-full");
        assertThat(gate.inUse()).isEqualTo(30);
        all.removeFirst().answered(200, FAST);
        one().unused();
    }

    @Test
    void end_twice_isABug() {
        Permission.Granted permission = one();
        permission.unused();

        assertThatThrownBy(() -> permission.answered(200, FAST))
                .isInstanceOf(IllegalStateException.class);
        assertThat(gate.inUse()).isZero();
    }
}

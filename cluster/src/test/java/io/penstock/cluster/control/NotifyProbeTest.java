package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NotifyProbeTest {
    private int made;
    private final NotifyProbe probe = new NotifyProbe(() -> new UUID(0, ++made));

    @Test
    void degraded_untilAProbeArrives() {
        probe.listening();
        String payload = String.valueOf(probe.toSend(0));
        assertThat(NotifyProbe.isProbe(payload)).isTrue();
        assertThat(probe.toSend(1)).isNull();
        assertThat(probe.degraded()).isTrue();

        probe.received("probe of somebody else");
        assertThat(probe.degraded()).isTrue();
        probe.received(payload);
        assertThat(probe.degraded()).isFalse();
    }

    @Test
    void check_probeDoesNotArrive_isDegradedAndTriedAgain() {
        probe.listening();
        probe.received(String.valueOf(probe.toSend(0)));
        probe.listening();
        probe.toSend(0);

        probe.check(TimeUnit.SECONDS.toNanos(1));
        assertThat(probe.degraded()).isFalse();
        probe.check(TimeUnit.SECONDS.toNanos(3));
        assertThat(probe.degraded()).isTrue();
        assertThat(probe.toSend(TimeUnit.SECONDS.toNanos(4))).isNull();
        probe.check(TimeUnit.SECONDS.toNanos(11));
        assertThat(probe.toSend(TimeUnit.SECONDS.toNanos(11))).isNotNull();
    }

    @Test
    void isProbe_epoch_isAHint() {
        assertThat(NotifyProbe.isProbe("17")).isFalse();
    }
}

package io.penstock.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How many failures are answered, from one address and from all. */
final class FailedLoginsTest {
    private final AtomicLong now = new AtomicLong();
    private final FailedLogins failed = new FailedLogins(now::get);

    private boolean fail(String address) {
        return failed.tooMany(new InetSocketAddress(address, 1));
    }

    @Test
    void tooMany_oneAddress_doesNotHoldBackAnother() {
        for (int i = 0; i < FailedLogins.EACH_MAX; i++) {
            assertThat(fail("127.0.0.2")).isFalse();
        }

        assertThat(fail("127.0.0.2")).isTrue();
        assertThat(fail("127.0.0.3")).isFalse();
    }

    @Test
    void tooMany_manyAddresses_areHeldBackTogether() {
        for (int i = 0; i < FailedLogins.ALL_MAX; i++) {
            assertThat(fail("10.0.0." + i)).isFalse();
        }

        assertThat(fail("10.0.1.1")).isTrue();
        now.set(FailedLogins.WINDOW_NANOS);
        assertThat(fail("10.0.1.1")).isFalse();
    }

    @Test
    void tooMany_windowOver_beginsAnew() {
        for (int i = 0; i <= FailedLogins.EACH_MAX; i++) {
            fail("127.0.0.2");
        }
        now.set(FailedLogins.WINDOW_NANOS);

        assertThat(fail("127.0.0.2")).isFalse();
    }
}

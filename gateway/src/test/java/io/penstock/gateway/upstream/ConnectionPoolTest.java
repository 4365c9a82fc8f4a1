package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a kept connection is taken without asking whether it is still alive. */
final class ConnectionPoolTest {
    private final AtomicLong now = new AtomicLong(1);
    private final ConnectionPool pool = new ConnectionPool(4, now::get);
    private final ScriptedWire wire = ScriptedWire.whole("");
    private final Connection connection = new Connection(wire, now.get());

    private void keep() {
        pool.keep(connection, -1);
        now.incrementAndGet();
    }

    /** One that was found alive after an answer. */
    private void prove() {
        keep();
        assertThat(pool.take()).isSameAs(connection);
    }

    @Test
    void take_closedByPeerAfterItsFirstAnswer_isFoundOutThoughNobodySawIt() {
        keep();
        wire.closed = true;

        assertThat(pool.take()).isNull();
    }

    @Test
    void take_provenAndNoCloseSeen_isTakenUnasked() {
        prove();
        keep();
        wire.closed = true;

        assertThat(pool.take()).isSameAs(connection);
    }

    @Test
    void take_provenAndCloseSeen_isNotTaken() {
        prove();
        keep();
        wire.closeSeen = true;

        assertThat(pool.take()).isNull();
    }

    @Test
    void take_keptForTooLong_isNotTaken() {
        prove();
        pool.keep(connection, -1);
        now.addAndGet(ConnectionPool.IDLE_NANOS);

        assertThat(pool.take()).isNull();
    }

    @Test
    void take_givenBackUnused_keepsItsClock() {
        prove();
        pool.keep(connection, -1);
        now.addAndGet(ConnectionPool.IDLE_NANOS - 1);
        assertThat(pool.take()).isSameAs(connection);
        pool.giveBack(connection);
        now.incrementAndGet();

        assertThat(pool.take()).isNull();
    }
}

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

    private void keepFor(long nanos) {
        pool.keep(connection, -1);
        now.addAndGet(nanos);
    }

    /** One that was found alive after an answer. */
    private void prove() {
        keepFor(ConnectionPool.FRESH_NANOS);
        assertThat(pool.take()).isSameAs(connection);
    }

    @Test
    void take_closedByPeerAfterItsFirstAnswer_isFoundOutHoweverFresh() {
        keepFor(0);
        wire.closed = true;

        assertThat(pool.take()).isNull();
    }

    @Test
    void take_provenAndFresh_isTakenUnasked() {
        prove();
        keepFor(ConnectionPool.FRESH_NANOS - 1);
        wire.closed = true;

        assertThat(pool.take()).isSameAs(connection);
    }

    @Test
    void take_provenButNotFresh_isAsked() {
        prove();
        keepFor(ConnectionPool.FRESH_NANOS);
        wire.closed = true;

        assertThat(pool.take()).isNull();
    }

    @Test
    void take_provenThenGivenBackUnused_keepsItsClock() {
        prove();
        keepFor(1);
        assertThat(pool.take()).isSameAs(connection);
        pool.giveBack(connection);
        now.addAndGet(ConnectionPool.FRESH_NANOS - 1);
        wire.closed = true;

        assertThat(pool.take()).isNull();
    }
}

package io.penstock.gateway.upstream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Kept connections to one upstream: the one that was used last is taken first, so that as few as
 * possible stay warm and the others can go.
 *
 * <p><b>Bounds.</b> At most {@code idleMax} are kept; each for {@link #IDLE_NANOS} without use and
 * {@link #AGE_NANOS} in all.
 *
 * <p><b>Threads.</b> Safe for concurrent use. One monitor guards the deque and {@code closed}; no
 * I/O happens under it.
 */
final class ConnectionPool {
    /** Below the 5 s after which Node and Python servers close an idle connection. */
    static final long IDLE_NANOS = 4_000_000_000L;

    /** So that a name that now means another address is followed. */
    static final long AGE_NANOS = 120_000_000_000L;

    private final ArrayDeque<Connection> idle = new ArrayDeque<>();
    private final int idleMax;
    private final LongSupplier nanos;
    private final AtomicInteger open = new AtomicInteger();
    private boolean closed;

    ConnectionPool(int idleMax, LongSupplier nanos) {
        this.idleMax = idleMax;
        this.nanos = nanos;
    }

    /** A kept connection that looks alive, or null. */
    @Nullable Connection take() {
        while (true) {
            Connection connection;
            synchronized (idle) {
                connection = idle.pollFirst();
            }
            if (connection == null) {
                return null;
            }
            if (alive(connection, nanos.getAsLong())) {
                return connection;
            }
            discard(connection);
        }
    }

    private static boolean alive(Connection connection, long nowNanos) {
        if (connection.expired(nowNanos, AGE_NANOS)) {
            return false;
        }
        if (connection.proven) {
            return connection.wire.silent();
        }
        connection.proven = connection.wire.quiet();
        return connection.proven;
    }

    /** Counts a connection that was just made. */
    void born() {
        open.incrementAndGet();
    }

    /**
     * Keeps a connection for the next exchange, or closes it where there is no room.
     *
     * @param idleSeconds how long the peer says it keeps it, or -1
     */
    void keep(Connection connection, int idleSeconds) {
        connection.idleSinceNanos = nanos.getAsLong();
        connection.idleNanosMax = idleNanos(idleSeconds);
        giveBack(connection);
    }

    /** Keeps a connection that was taken and not used; the peer's clock goes on for it. */
    void giveBack(Connection connection) {
        boolean kept = false;
        if (!connection.expired(nanos.getAsLong(), AGE_NANOS)) {
            synchronized (idle) {
                if (!closed && idle.size() < idleMax) {
                    idle.addFirst(connection);
                    kept = true;
                }
            }
        }
        if (!kept) {
            discard(connection);
        }
    }

    /** A second less than the peer says, as its clock started earlier than ours. */
    private static long idleNanos(int idleSeconds) {
        return idleSeconds < 0
                ? IDLE_NANOS
                : Math.min(IDLE_NANOS, (idleSeconds - 1) * 1_000_000_000L);
    }

    /** Closes a connection; for each that was {@link #born} called once. */
    void discard(Connection connection) {
        open.decrementAndGet();
        connection.close();
    }

    /** Closes what was kept for too long. */
    void sweep() {
        long now = nanos.getAsLong();
        List<Connection> old = new ArrayList<>();
        synchronized (idle) {
            idle.removeIf(
                    each -> {
                        boolean expired = each.expired(now, AGE_NANOS);
                        if (expired) {
                            old.add(each);
                        }
                        return expired;
                    });
        }
        old.forEach(this::discard);
    }

    /** How many are kept. */
    int idle() {
        synchronized (idle) {
            return idle.size();
        }
    }

    /** How many are open, in use or kept. */
    int open() {
        return open.get();
    }

    void close() {
        List<Connection> all;
        synchronized (idle) {
            closed = true;
            all = List.copyOf(idle);
            idle.clear();
        }
        all.forEach(this::discard);
    }
}

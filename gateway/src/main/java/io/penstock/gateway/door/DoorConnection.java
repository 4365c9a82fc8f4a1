package io.penstock.gateway.door;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One accepted connection, from its first byte to its end, whatever it speaks.
 *
 * <p>Helidon accepts the socket and gives it a virtual thread; time limits, draining and the cut
 * are ours, so Helidon's idle timer is told that the connection is never idle.
 */
final class DoorConnection implements ServerConnection {
    private final Door door;
    private final ConnectionContext context;
    private final Pace pace;
    private volatile @Nullable Intake http1;

    DoorConnection(Door door, ConnectionContext context) {
        this.door = door;
        this.context = context;
        pace = new Pace(context.serverSocket(), door.limits, door.ticker, door.events);
    }

    @Override
    public void handle(Limit limit) {
        door.open.add(this);
        door.events.opened();
        try {
            serve();
        } finally {
            door.open.remove(this);
            door.events.closed();
        }
    }

    /** Cuts what is overdue, and watches for clients that leave while their call runs. */
    void sweep(long now) {
        pace.sweep(now);
        Intake watched = http1;
        if (watched != null && pace.phase() == Pace.Phase.CALL) {
            watched.watch();
        }
    }

    /** Closes it where no request is on its way. */
    void closeIdle() {
        if (pace.phase() == Pace.Phase.IDLE || pace.phase() == Pace.Phase.LINGER) {
            pace.cut();
        }
    }

    void cut() {
        pace.cut();
    }

    @Override
    public Duration idleTime() {
        return Duration.ZERO;
    }

    /** Helidon's stop: draining has been done by then, or was not wanted. */
    @Override
    public void close(boolean interrupt) {
        if (interrupt) {
            pace.cut();
        } else {
            closeIdle();
        }
    }

    private void serve() {
        pace.idle(true);
        HelidonSocket socket = context.serverSocket();
        byte[] first = first(socket);
        if (first == null) {
            return;
        }
        Intake in = new Intake(socket, first);
        http1 = in;
        new Http1Connection(door, socket, pace, in, context.remotePeer().address(), null).run();
    }

    private static byte @Nullable [] first(HelidonSocket socket) {
        try {
            return socket.get();
        } catch (UncheckedIOException e) {
            return null;
        }
    }
}

package io.penstock.gateway.door;

import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.socket.PolledChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import jdk.net.ExtendedSocketOptions;

/**
 * Accepts connections and gives each a virtual thread of its own.
 *
 * <p>Not Helidon's listener: that one ends for good at the first {@code accept} that fails, so a
 * moment without file descriptors would leave a replica that is alive, ready and deaf. This one
 * waits a little and tries again.
 *
 * <p>At its limit it stops accepting: further connections wait in the kernel's queue.
 */
final class Acceptor {
    private static final System.Logger LOG = System.getLogger(Acceptor.class.getName());

    /** Connections that the kernel keeps for us: as many as may come at once after a restart. */
    private static final int BACKLOG = 1024;

    /** Before the next try, after one that failed. */
    private static final long RETRY_NANOS = 50_000_000L;

    /**
     * For a thread to leave its accept; it takes microseconds where the machine has time for it.
     */
    private static final Duration STOP_WAIT = Duration.ofSeconds(2);

    private static final int PROBE_AFTER_SECONDS = 60;
    private static final int PROBE_EVERY_SECONDS = 10;
    private static final int PROBES = 3;

    private final Door door;
    private final ServerSocketChannel server;
    private final Semaphore places;
    private final Thread thread;
    private boolean failing;

    /** Binds; connections are accepted once started. */
    Acceptor(Door door, ListenConfig listen) {
        this.door = door;
        places = new Semaphore(door.limits.connections());
        server = bind(listen);
        thread = Thread.ofPlatform().name("door-accept").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    int port() {
        return server.socket().getLocalPort();
    }

    /**
     * From now on the system refuses connections, or gives them to whoever shares the port: a
     * thread within an accept holds the socket open until it has left it, so this waits for that.
     */
    void stop() {
        try {
            server.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "event=listener-close-failed", e);
        }
        // Wakes a thread that waits for a place. Not by an interrupt: in the middle of an accept
        // that would lose the connection, open but with nobody to close it.
        places.release();
        try {
            if (!thread.join(STOP_WAIT)) {
                LOG.log(Level.WARNING, "event=listener-close-slow");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ServerSocketChannel bind(ListenConfig listen) {
        try {
            ServerSocketChannel channel = ServerSocketChannel.open();
            try {
                if (listen.share()) {
                    channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
                }
                return channel.bind(new InetSocketAddress(listen.host(), listen.port()), BACKLOG);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot listen on " + listen.host() + ":" + listen.port(), e);
        }
    }

    private void run() {
        while (server.isOpen()) {
            places.acquireUninterruptibly();
            if (!acceptOne()) {
                places.release();
            }
        }
    }

    private boolean acceptOne() {
        SocketChannel channel;
        try {
            channel = server.accept();
        } catch (ClosedChannelException e) {
            return false;
        } catch (IOException e) {
            failed(e);
            return false;
        }
        if (failing) {
            failing = false;
            LOG.log(Level.INFO, "event=accept-works-again");
        }
        Thread.ofVirtual().name("door-connection").start(() -> serve(channel));
        return true;
    }

    private void failed(IOException cause) {
        if (!failing) {
            failing = true;
            LOG.log(Level.ERROR, "event=accept-failed next=retry", cause);
        }
        LockSupport.parkNanos(RETRY_NANOS);
    }

    /**
     * A client whose machine is gone says nothing, and neither does the stream that it waited for:
     * without probes the connection, its call and the upstream's stream would be kept for ever.
     */
    private static void options(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, PROBE_AFTER_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, PROBE_EVERY_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            options(channel);
            try (PolledChannel polled = door.pollers.take(channel)) {
                new DoorConnection(door, polled).run();
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "event=connection-ended", e);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "event=connection-failed", e);
        } finally {
            places.release();
        }
    }
}

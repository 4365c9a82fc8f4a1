package io.penstock.gateway.door;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.http.RequestHandler;
import java.lang.System.Logger.Level;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The data plane's listener: turns sockets into requests and answers for one handler.
 *
 * <p><b>Guarantee.</b> The handler sees only whole requests that can be read in one way; anything
 * else is answered here, and the connection closed after it. Everything is bounded: heads, bodies,
 * their time, connections, streams, and the memory of all bodies together.
 *
 * <p><b>Threads.</b> Safe for concurrent use. The handler runs on one virtual thread a request.
 */
public final class DataListener implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(DataListener.class.getName());

    /** Between two looks at connections that are to end. */
    private static final long LOOK_NANOS = 10_000_000L;

    /** For Helidon to end, once every connection was cut. */
    private static final Duration STOP_WAIT = Duration.ofSeconds(5);

    /** Helidon's own grace: never reached, because {@link #close(Duration)} cuts before. */
    private static final Duration HELIDON_GRACE = Duration.ofHours(1);

    private final ListenConfig listen;
    private final LimitsConfig limits;
    private final Door door;
    private final Sweeper sweeper;
    private @Nullable WebServer server;
    private boolean closed;
    private volatile int port;

    /**
     * @param ticker the monotonic clock in nanoseconds
     * @param clock for the {@code Date} of answers
     */
    public DataListener(
            ListenConfig listen,
            LimitsConfig limits,
            RequestHandler handler,
            LongSupplier ticker,
            InstantSource clock,
            DoorEvents events) {
        this.listen = listen;
        this.limits = limits;
        ListenConfig.ServerTls tls = listen.tls();
        door =
                new Door(
                        limits,
                        handler,
                        ticker,
                        clock,
                        events,
                        tls == null ? null : ServerTlsContext.load(tls));
        sweeper = new Sweeper(door);
    }

    /** Binds and accepts. */
    public synchronized void start() {
        if (server != null || closed) {
            throw new IllegalStateException("started before");
        }
        WebServer started = build().start();
        server = started;
        port = started.port();
        sweeper.start();
    }

    /** The port it listens on, or listened on. */
    public int port() {
        if (port == 0) {
            throw new IllegalStateException("not started");
        }
        return port;
    }

    /** Connections that are open now. */
    public int connections() {
        return door.open.size();
    }

    /** Requests that the handler is answering now. */
    public int calls() {
        return door.calls.get();
    }

    /**
     * From now on each answer is its connection's last: clients come back over new connections,
     * which a load balancer sends elsewhere. Still accepts.
     */
    public void beginDrain() {
        door.draining = true;
    }

    /**
     * Stops: no new connections, idle ones closed at once, calls that run get {@code grace} to end,
     * then are cut.
     *
     * <p><b>Threads.</b> Blocks for at most {@code grace} and a few seconds.
     */
    public synchronized void close(Duration grace) {
        if (closed) {
            return;
        }
        closed = true;
        WebServer running = server;
        if (running == null) {
            return;
        }
        beginDrain();
        Thread stopper = Thread.ofPlatform().daemon().name("door-stop").start(running::stop);
        door.open.forEach(DoorConnection::closeIdle);
        long started = door.ticker.getAsLong();
        while (!door.open.isEmpty() && door.ticker.getAsLong() - started < grace.toNanos()) {
            door.open.forEach(DoorConnection::closeIdle);
            LockSupport.parkNanos(LOOK_NANOS);
        }
        int left = door.open.size();
        if (left > 0) {
            LOG.log(Level.INFO, "event=connections-cut count=" + left + " grace=" + grace);
        }
        awaitStopped(stopper);
        sweeper.stop();
    }

    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** Cuts until Helidon has stopped: a connection may be accepted just before. */
    private void awaitStopped(Thread stopper) {
        long started = door.ticker.getAsLong();
        try {
            while (!stopper.join(Duration.ofMillis(10))) {
                door.open.forEach(DoorConnection::cut);
                if (door.ticker.getAsLong() - started > STOP_WAIT.toNanos()) {
                    LOG.log(Level.WARNING, "event=listener-stop-slow calls=" + door.calls.get());
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private WebServer build() {
        WebServerConfig.Builder builder =
                WebServer.builder()
                        .host(listen.host())
                        .port(listen.port())
                        .shutdownHook(false)
                        .featuresDiscoverServices(false)
                        .protocolsDiscoverServices(false)
                        .addConnectionSelector(new DoorSelector(door))
                        .useNio(true)
                        .writeQueueLength(0)
                        .maxTcpConnections(limits.connections())
                        .shutdownGracePeriod(HELIDON_GRACE)
                        .connectionOptions(options -> options.tcpNoDelay(true));
        if (listen.share()) {
            builder.putListenerSocketOption(StandardSocketOptions.SO_REUSEPORT, true);
        }
        return builder.build();
    }
}

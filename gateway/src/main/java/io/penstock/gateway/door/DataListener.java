package io.penstock.gateway.door;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.http.RequestHandler;
import io.penstock.gateway.socket.Pollers;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
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

    /** For handlers to end, once their connections were cut. */
    private static final Duration CUT_WAIT = Duration.ofSeconds(5);

    private final ListenConfig listen;
    private final Door door;
    private final Sweeper sweeper;
    private @Nullable Acceptor acceptor;
    private boolean closed;
    private volatile int port;

    /**
     * @param pollers where its connections wait; outlive the listener
     * @param ticker the monotonic clock in nanoseconds
     * @param clock for the {@code Date} of answers
     */
    public DataListener(
            Pollers pollers,
            ListenConfig listen,
            LimitsConfig limits,
            RequestHandler handler,
            LongSupplier ticker,
            InstantSource clock,
            DoorEvents events) {
        this(pollers, listen, limits, false, handler, ticker, clock, events, DoorMarks.NONE);
    }

    /**
     * @param http10 whether HTTP/1.0 may look too, with GET and HEAD: never where agents call, as
     *     proxies read its requests in more than one way
     * @param marks for what the listener answers itself
     */
    public DataListener(
            Pollers pollers,
            ListenConfig listen,
            LimitsConfig limits,
            boolean http10,
            RequestHandler handler,
            LongSupplier ticker,
            InstantSource clock,
            DoorEvents events,
            DoorMarks marks) {
        this.listen = listen;
        ListenConfig.ServerTls tls = listen.tls();
        door =
                new Door(
                        pollers,
                        limits,
                        http10,
                        handler,
                        ticker,
                        clock,
                        events,
                        marks,
                        tls == null ? null : ServerTlsContext.load(tls));
        sweeper = new Sweeper(door);
    }

    /** Binds and accepts. */
    public synchronized void start() {
        if (acceptor != null || closed) {
            throw new IllegalStateException("started before");
        }
        Acceptor started = new Acceptor(door, listen);
        acceptor = started;
        port = started.port();
        sweeper.start();
        started.start();
        LOG.log(
                Level.INFO,
                "event=listening address="
                        + listen.host()
                        + ":"
                        + port
                        + " tls="
                        + (door.tls != null)
                        + " shared="
                        + listen.share());
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
        Acceptor running = acceptor;
        if (running == null) {
            return;
        }
        beginDrain();
        running.stop();
        await(grace, DoorConnection::closeIdle);
        int left = door.open.size();
        if (left > 0) {
            LOG.log(Level.INFO, "event=connections-cut count=" + left + " grace=" + grace);
            await(CUT_WAIT, DoorConnection::cut);
        }
        door.ended = true;
        door.open.forEach(DoorConnection::cut);
        sweeper.stop();
        door.listener.executor().shutdown();
        LOG.log(Level.INFO, "event=listener-closed calls=" + door.calls.get());
    }

    /** Does it to each connection, again and again, until none is left or the time is over. */
    private void await(Duration most, Consumer<DoorConnection> each) {
        long started = door.ticker.getAsLong();
        door.open.forEach(each);
        while (!door.open.isEmpty() && door.ticker.getAsLong() - started < most.toNanos()) {
            LockSupport.parkNanos(LOOK_NANOS);
            door.open.forEach(each);
        }
    }

    @Override
    public void close() {
        close(Duration.ZERO);
    }
}

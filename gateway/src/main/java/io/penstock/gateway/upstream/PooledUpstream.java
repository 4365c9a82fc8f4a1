package io.penstock.gateway.upstream;

import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.socket.Pollers;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;

/**
 * One upstream server over HTTP/1.1, plain or with TLS.
 *
 * <p>No socket has a read timeout: each blocking read of a virtual thread would become a timed
 * wait, which costs 30 % of a replica's CPU. Who waits too long is ended from outside with {@link
 * Exchange#cut}.
 *
 * <p>Redirects are never followed; they are answers like others. Nothing is ever sent twice.
 *
 * <p><b>Bounds.</b> As many connections as exchanges are open, which the bulkhead of {@link
 * #permit} bounds, and at most {@link #IDLE_MAX} kept ones.
 *
 * <p><b>Threads.</b> Safe for concurrent use. One virtual thread closes what was kept too long.
 */
public final class PooledUpstream implements Upstream {
    private static final int IDLE_MAX = 256;
    private static final Duration SWEEP = Duration.ofSeconds(1);

    private final String name;
    private final Gate gate;
    private final Dialer dialer;
    private final ConnectionPool pool;
    private final RequestHead requestHead;
    private final LongSupplier nanos;
    private final LongAdder connects = new LongAdder();
    private final LongAdder connectFailures = new LongAdder();
    private final CountDownLatch closed = new CountDownLatch(1);

    /**
     * Connects to nothing yet.
     *
     * @param pollers where its plain connections wait; outlive the upstream
     * @throws IllegalArgumentException where the configuration cannot be used: TLS files, headers
     */
    public PooledUpstream(Pollers pollers, ServerConfig config, LongSupplier nanos) {
        name = config.name();
        this.nanos = nanos;
        gate = new Gate(config, nanos);
        boolean secure = "https".equalsIgnoreCase(config.url().getScheme());
        SSLContext tls = secure ? ClientTlsContext.of(config.tls()) : null;
        dialer = new Dialer(pollers, config.url(), tls, config.connectTimeout().toNanos(), nanos);
        pool = new ConnectionPool(Math.min(IDLE_MAX, config.maxConcurrent()), nanos);
        requestHead = new RequestHead(config.url(), config.headers());
        Thread.ofVirtual().name("upstream-sweep-" + name).start(this::sweep);
    }

    private void sweep() {
        try {
            while (!closed.await(SWEEP.toMillis(), TimeUnit.MILLISECONDS)) {
                pool.sweep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Permission permit() {
        return gate.permit();
    }

    @Override
    public Exchange open() {
        Connection connection = pool.take();
        if (connection == null) {
            connection = connect();
        }
        return new HttpExchange(connection, pool, requestHead);
    }

    private Connection connect() {
        try {
            Wire wire = dialer.dial();
            connects.increment();
            pool.born();
            return new Connection(wire, nanos.getAsLong());
        } catch (UpstreamException e) {
            connectFailures.increment();
            throw e;
        }
    }

    public String name() {
        return name;
    }

    /** {@code closed}, {@code open} or {@code half-open}. */
    public String circuit() {
        return gate.state();
    }

    /** Calls that hold a permission now. */
    public int inUse() {
        return gate.inUse();
    }

    /** Connections that are open, in use or kept. */
    public int openConnections() {
        return pool.open();
    }

    public int idleConnections() {
        return pool.idle();
    }

    /** Connections made since the start. */
    public long connects() {
        return connects.sum();
    }

    public long connectFailures() {
        return connectFailures.sum();
    }

    /** Closes kept connections; those in use close when their exchange ends. */
    @Override
    public void close() {
        closed.countDown();
        pool.close();
    }

    @Override
    public String toString() {
        return "PooledUpstream[" + name + "]";
    }
}

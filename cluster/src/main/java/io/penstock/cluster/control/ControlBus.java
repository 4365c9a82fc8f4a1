package io.penstock.cluster.control;

import static java.lang.System.Logger.Level.WARNING;

import io.penstock.cluster.postgres.Connector;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this replica's view of the control state fresh, proves it with a lease, and acknowledges
 * what it brought into force.
 *
 * <p><b>Guarantee.</b> The view begins closed, and is trusted only while the lease lasts. A newer
 * state is acknowledged only when no send under an older one is being made.
 *
 * <p><b>Failure.</b> Whatever breaks, the lease ends within its length and the view judges every
 * call stale. Both connections are opened again for as long as the bus runs.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Owns two platform threads with a connection each, and
 * one that records latched stops.
 *
 * <p><b>Source.</b> Protocol page, sections 2 to 4.
 */
public final class ControlBus implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ControlBus.class.getName());
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(5);
    private static final Duration FIRST_BEAT_WAIT = Duration.ofSeconds(1);

    private final BusConfig config;
    private final Connector connector;
    private final Clocks clocks;
    private final Installer installer;
    private final StateReader reader;
    private final Lease lease;
    private final NotifyProbe probe;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Running running;

    /** What exists between start and close. */
    private record Running(
            BeatLoop beats,
            ListenLoop listening,
            Latch latch,
            Thread beatThread,
            Thread listenThread,
            Thread latchThread) {}

    public ControlBus(BusConfig config, Connector connector, StateLoader loader, Clocks clocks) {
        this.config = config;
        this.connector = connector;
        this.clocks = clocks;
        installer = new Installer(clocks.ticker().getAsLong());
        reader = new StateReader(installer, loader, clocks.ticker());
        lease = new Lease(clocks.ticker(), clocks.wall());
        probe = new NotifyProbe(clocks.ids());
    }

    /** The view that calls are judged by; closed until the bus has started and read the state. */
    public ControlView view() {
        return installer.view();
    }

    /**
     * Starts. Does not wait for the database.
     *
     * @param callsTotal how many calls the replica has taken since it began
     */
    public synchronized void start(OpenCalls calls, BusEvents events, LongSupplier callsTotal) {
        if (running != null || closed.get()) {
            throw new IllegalStateException("a control bus starts once");
        }
        BusParts parts =
                new BusParts(
                        config,
                        clocks,
                        connector,
                        installer,
                        reader,
                        lease,
                        probe,
                        calls,
                        new Acknowledger(installer, calls, clocks.ticker()),
                        events,
                        callsTotal);
        BeatLoop beats = new BeatLoop(parts);
        ListenLoop listening = new ListenLoop(parts, beats);
        LatchFile file = config.latchFile() == null ? null : new LatchFile(config.latchFile());
        Latch latch = new Latch(file, installer, connector, beats::wake);
        latch.load();
        running =
                new Running(
                        beats,
                        listening,
                        latch,
                        daemon("penstock-lease", beats),
                        daemon("penstock-listen", listening),
                        daemon("penstock-latch", latch::run));
        running.beatThread().start();
        running.listenThread().start();
        running.latchThread().start();
    }

    /** This replica's present life. Another one follows when it is fenced. */
    public Incarnation incarnation() {
        return started().beats().incarnation();
    }

    /** The cluster's lease P, as the last beat was told. */
    public Duration lease() {
        return Duration.ofMillis(started().beats().leaseMillis());
    }

    /** What is left of the lease; negative when it is over. */
    public Duration leaseLeft() {
        return Duration.ofNanos(view().current().trustedUntilNanos() - clocks.ticker().getAsLong());
    }

    /** Whether a NOTIFY does not reach this replica, so that it only polls. */
    public boolean degraded() {
        return probe.degraded();
    }

    /** Why no call can be admitted now, for people; null when calls can be. */
    public @Nullable String whyClosed() {
        Running r = running;
        if (r == null) {
            return "not started";
        }
        Snapshot current = view().current();
        Stop everything = current.stopOfEverything();
        if (everything != null) {
            return "stopped: " + everything.reason();
        }
        if (current.trusted(clocks.ticker().getAsLong())) {
            return null;
        }
        String failure = lease.refusal() != null ? lease.refusal() : r.beats().failure();
        if (failure == null) {
            return current.epoch() == Installer.NOTHING_READ
                    ? "the control state was not read yet"
                    : "the lease ran out";
        }
        return current.epoch() == Installer.NOTHING_READ
                ? "waiting for the database: " + failure
                : "the lease ran out: " + failure;
    }

    /**
     * Reads the control state on the caller's connection and installs it if it is newer; it
     * inherits the lease. For a lane that was told to plan again.
     *
     * @return the current state
     */
    public Snapshot refresh(Connection connection) throws SQLException {
        installer.install(reader.read(connection));
        return view().current();
    }

    /**
     * Checks that a connection leads to the server, and the timeline, that the lease rests on.
     * Waits a moment for the first beat, so that lanes can be opened while the bus starts.
     *
     * @throws SQLException if it does not, or if no beat was made yet
     */
    public void checkServer(Connection connection) throws SQLException {
        long started = clocks.ticker().getAsLong();
        Lease.Server expected = lease.server();
        while (expected == null
                && clocks.ticker().getAsLong() - started < FIRST_BEAT_WAIT.toNanos()) {
            LockSupport.parkNanos(1_000_000);
            expected = lease.server();
        }
        Lease.Server found = ControlSql.server(connection);
        if (!found.equals(expected)) {
            throw new SQLException(
                    "this connection leads to " + found + ", the lease to " + expected, "08004");
        }
    }

    /** A lane was told that it is superseded for a fresh sequence number: that life is over. */
    public void superseded(Incarnation over) {
        started().beats().supersede(over);
    }

    /**
     * Lets a stop hold on this replica at once, and records it in the cluster as soon as the
     * database takes it.
     *
     * @return whether it would outlive a restart of this replica before that
     */
    public boolean latch(StopOrder order) {
        return started().latch().add(order);
    }

    /** Orders that hold here and that the cluster is not known to have. */
    public List<StopOrder> latched() {
        return started().latch().orders();
    }

    /** The rest of this life: goes on beating and acknowledging, says that it is draining. */
    public void drain() {
        started().beats().drain();
    }

    /**
     * Ends the lease, writes that this incarnation is closed if no send is being made any more, and
     * stops. To be called after the last call has ended.
     */
    @Override
    public synchronized void close() {
        Running r = running;
        if (!closed.compareAndSet(false, true) || r == null) {
            return;
        }
        r.latch().leave();
        r.beats().leave();
        join(r.beatThread());
        r.listening().leave();
        join(r.listenThread());
        r.latchThread().interrupt();
        join(r.latchThread());
    }

    private Running started() {
        Running r = running;
        if (r == null) {
            throw new IllegalStateException("the control bus has not started");
        }
        return r;
    }

    private static Thread daemon(String name, Runnable body) {
        return Thread.ofPlatform().name(name).daemon().unstarted(body);
    }

    private static void join(Thread thread) {
        try {
            if (!thread.join(CLOSE_WAIT)) {
                LOG.log(WARNING, "event=thread-still-running thread={0}", thread.getName());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.log(WARNING, "event=connection-close-failed reason=\"{0}\"", e.getMessage());
        }
    }
}

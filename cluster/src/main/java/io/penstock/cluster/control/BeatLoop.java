package io.penstock.cluster.control;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * The lease's thread: beats, reads the state, renews the lease or lets it end.
 *
 * <p><b>Guarantee.</b> Nothing else extends a lease. A beat that fails, in whatever way, only means
 * that the lease goes on to its end.
 *
 * <p><b>Threads.</b> {@link #run} is one platform thread; the other methods may be called by any.
 *
 * <p><b>Source.</b> Protocol page, section 2.
 */
final class BeatLoop implements Runnable {
    private static final System.Logger LOG = System.getLogger(BeatLoop.class.getName());
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Beats are this share of the lease apart, at most. */
    private static final int BEATS_PER_LEASE = 4;

    private static final int LEASE_MILLIS_BEFORE_FIRST_BEAT = 1000;
    private static final long RETRY_NANOS = 250 * NANOS_PER_MILLI;

    /** How often the clocks are compared and the end of the lease is noticed. */
    private static final long WATCH_NANOS = 50 * NANOS_PER_MILLI;

    /** Longest wait at the end for sends that are being made. */
    private static final long LEAVE_NANOS = 1000 * NANOS_PER_MILLI;

    private static final long CLOCK_OFFSET_WARNING_MICROS = 1_000_000;

    /** A prepared statement is there already, or is not there. */
    private static final List<String> POOLER_STATES = List.of("42P05", "26000");

    private final BusParts parts;
    private final CallRate rate;
    private final Semaphore wakes = new Semaphore(0);
    private @Nullable Connection connection;
    private int connectionPid;
    private @Nullable Long clockOffsetMicros;
    private boolean wasOpen;
    private volatile Incarnation incarnation;
    private volatile int leaseMillis = LEASE_MILLIS_BEFORE_FIRST_BEAT;
    private volatile boolean opened;
    private volatile boolean draining;
    private volatile boolean closing;
    private volatile @Nullable Incarnation superseded;
    private volatile @Nullable String failure;

    BeatLoop(BusParts parts) {
        this.parts = parts;
        rate = new CallRate(parts.callsTotal(), parts.now());
        incarnation = freshIncarnation();
    }

    Incarnation incarnation() {
        return incarnation;
    }

    int leaseMillis() {
        return leaseMillis;
    }

    /** Why the last beat failed, or null. */
    @Nullable String failure() {
        return failure;
    }

    /** Whether this incarnation has ever been open. */
    boolean opened() {
        return opened;
    }

    /** Beats at once. */
    void wake() {
        wakes.release();
    }

    void drain() {
        draining = true;
        wake();
    }

    void supersede(Incarnation over) {
        superseded = over;
        wake();
    }

    void leave() {
        closing = true;
        wake();
    }

    @Override
    public void run() {
        while (!closing) {
            long startedNanos = parts.now();
            try {
                parts.acknowledger().apply();
                if (incarnation.equals(superseded)) {
                    becomeAnother("its lanes were taken over");
                }
                settle(beat());
            } catch (SQLException | RuntimeException e) {
                failed(e);
            }
            watch();
            pause(startedNanos);
        }
        end();
    }

    /** One beat. Returns why it did not renew the lease, or null. */
    private @Nullable String beat() throws SQLException {
        Connection c = connected();
        Incarnation me = incarnation;
        // Before the read: another thread may install a newer state while this one reads.
        long installed = parts.installer().epoch();
        Lease.Attempt attempt = parts.lease().begin();
        BeatReply reply = ControlSql.beat(c, row(me));
        offset(attempt.startedMillis(), parts.clocks().wall().millis(), reply);
        Installer.Loaded loaded = parts.reader().readForBeat(c);
        leaseMillis = reply.leaseMillis();
        String reason = judged(loaded, attempt, reply, installed);
        String payload = parts.probe().toSend(parts.now());
        if (payload != null) {
            ControlSql.notify(c, payload);
        }
        return reason;
    }

    private @Nullable String judged(
            Installer.Loaded loaded, Lease.Attempt attempt, BeatReply reply, long installed) {
        long epoch = loaded.state().epoch();
        return switch (parts.lease().judge(attempt, reply, connectionPid, epoch, installed)) {
            case Lease.Verdict.Granted granted -> granted(loaded, granted);
            case Lease.Verdict.Withheld withheld -> {
                parts.installer().adopt(loaded);
                yield withheld.reason();
            }
            case Lease.Verdict.Fenced fenced -> becomeAnother("its row is fenced");
            case Lease.Verdict.ServerChanged changed -> serverChanged(changed.reason());
            case Lease.Verdict.Refused refused -> refuse(refused.reason());
        };
    }

    private ControlSql.Beat row(Incarnation me) {
        String state = draining ? "draining" : opened ? "open" : "booting";
        return new ControlSql.Beat(
                me,
                state,
                parts.lease().trustingMillis(),
                parts.installer().epoch(),
                parts.config().announcement(),
                rate.perSecond(parts.now()),
                clockOffsetMicros,
                parts.probe().degraded());
    }

    private @Nullable String granted(Installer.Loaded loaded, Lease.Verdict.Granted granted) {
        long epoch = loaded.state().epoch();
        parts.installer().adopt(loaded);
        // Even if another thread installed it: what is open is judged before the lease goes on.
        parts.acknowledger().apply();
        // Without a revision nobody knows the rules, so nothing can be admitted.
        if (loaded.state().revision() == Installer.NO_RULES.revision()) {
            return "no configuration revision was applied yet";
        }
        if (!parts.installer().trust(epoch, granted.untilNanos(), granted.notAfterMillis())) {
            wake();
        } else if (!opened) {
            opened = true;
            wake();
        }
        return null;
    }

    private String becomeAnother(String reason) {
        Incarnation over = incarnation;
        parts.installer().distrust(parts.now());
        parts.lease().forget();
        LOG.log(WARNING, "event=incarnation-over incarnation={0} reason=\"{1}\"", over, reason);
        parts.calls().cutAll("the incarnation of this replica is over: " + reason);
        opened = false;
        incarnation = freshIncarnation();
        parts.events().incarnationChanged(over, incarnation);
        wake();
        return reason;
    }

    private Incarnation freshIncarnation() {
        return new Incarnation(parts.config().replica(), parts.clocks().ids().get());
    }

    private String serverChanged(String reason) {
        parts.installer().distrust(parts.now());
        // The next state may have the epoch of this one, and its sends would not be told from
        // others.
        parts.calls().closeSendsBefore(Long.MAX_VALUE);
        LOG.log(WARNING, "event=database-server-changed change=\"{0}\"", reason);
        parts.events().serverChanged();
        wake();
        return "another database server answers: " + reason;
    }

    private String refuse(String reason) {
        parts.installer().distrust(parts.now());
        if (!reason.equals(failure)) {
            LOG.log(ERROR, "event=lease-refused reason=\"{0}\"", reason);
        }
        return reason;
    }

    private void offset(long beforeMillis, long afterMillis, BeatReply reply) {
        long middleMicros = (beforeMillis + afterMillis) * 1000 / 2;
        long micros = middleMicros - reply.databaseMicros();
        boolean far = Math.abs(micros) > CLOCK_OFFSET_WARNING_MICROS;
        Long before = clockOffsetMicros;
        boolean wasFar = before != null && Math.abs(before) > CLOCK_OFFSET_WARNING_MICROS;
        if (far && !wasFar) {
            LOG.log(WARNING, "event=clock-offset wall-minus-database-micros={0}", micros);
        }
        clockOffsetMicros = micros;
    }

    private Connection connected() throws SQLException {
        Connection c = connection;
        if (c == null) {
            c = parts.connector().open(Purpose.LEASE);
            connectionPid = c.unwrap(PGConnection.class).getBackendPID();
            connection = c;
        }
        return c;
    }

    private void settle(@Nullable String reason) {
        if (reason == null && failure != null) {
            LOG.log(INFO, "event=beats-again incarnation={0}", incarnation);
        }
        failure = reason;
    }

    private void failed(Exception e) {
        String reason = reason(e);
        if (failure == null) {
            LOG.log(WARNING, "event=beat-failed reason=\"{0}\"", reason);
        }
        failure = reason;
        drop();
    }

    /** Prepared statements that come and go are another server process behind the same wire. */
    private static String reason(Exception e) {
        String message = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return e instanceof SQLException sql && POOLER_STATES.contains(sql.getSQLState())
                ? Lease.POOLER + ": " + message
                : message;
    }

    private void drop() {
        Connection c = connection;
        connection = null;
        if (c != null) {
            ControlBus.closeQuietly(c);
        }
    }

    /** Tells the owner when the gate opens and when it has closed. */
    private void watch() {
        if (parts.lease().clocksDisagree()) {
            parts.lease().forget();
            parts.installer().distrust(parts.now());
            failure = "wall clock and monotonic clock disagree: the machine was suspended?";
            LOG.log(WARNING, "event=clocks-disagree");
            wake();
        }
        boolean open = parts.installer().view().current().trusted(parts.now());
        if (open == wasOpen) {
            return;
        }
        wasOpen = open;
        if (open) {
            LOG.log(INFO, "event=open epoch={0}", parts.installer().epoch());
            parts.events().opened();
        } else {
            String reason = failure == null ? "no beat in time" : failure;
            LOG.log(WARNING, "event=lapsed reason=\"{0}\"", reason);
            parts.events().lapsed(reason);
        }
    }

    private void pause(long startedNanos) {
        long interval = leaseMillis * NANOS_PER_MILLI / BEATS_PER_LEASE;
        long until =
                failure == null
                        ? startedNanos + interval
                        : parts.now() + Math.min(interval, RETRY_NANOS);
        try {
            long left = until - parts.now();
            while (left > 0
                    && !wakes.tryAcquire(Math.min(left, WATCH_NANOS), TimeUnit.NANOSECONDS)) {
                watch();
                left = until - parts.now();
            }
            wakes.drainPermits();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closing = true;
        }
    }

    /**
     * Ends the lease, then the row: only a replica that sends nothing any more says it is closed.
     */
    private void end() {
        parts.installer().distrust(parts.now());
        long deadline = parts.now() + LEAVE_NANOS;
        boolean quiet = awaitQuiet(deadline - LEAVE_NANOS / 2);
        if (!quiet) {
            parts.calls().closeSendsBefore(Long.MAX_VALUE);
            quiet = awaitQuiet(deadline);
        }
        try {
            if (quiet && connection != null) {
                ControlSql.close(connection, incarnation);
            }
        } catch (SQLException e) {
            LOG.log(WARNING, "event=closing-not-recorded reason=\"{0}\"", e.getMessage());
        }
        drop();
    }

    private boolean awaitQuiet(long deadlineNanos) {
        while (!parts.installer().quiet()) {
            if (parts.now() - deadlineNanos >= 0) {
                return false;
            }
            LockSupport.parkNanos(NANOS_PER_MILLI);
        }
        return true;
    }
}

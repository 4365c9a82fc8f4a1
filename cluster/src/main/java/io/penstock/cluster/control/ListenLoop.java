package io.penstock.cluster.control;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * The listening thread: brings newer states as soon as a NOTIFY hints at them or a poll finds them,
 * and acknowledges.
 *
 * <p><b>Guarantee.</b> What it installs inherits the lease; it never extends one. It reads from,
 * and acknowledges to, the server that the installed state came from, and opens another connection
 * where its own leads elsewhere.
 *
 * <p><b>Threads.</b> {@link #run} is one platform thread: busy carriers would starve a virtual one.
 */
final class ListenLoop implements Runnable {
    private static final System.Logger LOG = System.getLogger(ListenLoop.class.getName());

    /**
     * Longest wait on the socket, after which a state that another thread installed is
     * acknowledged. With news in hand the wait is shorter, but not a millisecond, which is no wait
     * at all on this connection.
     */
    private static final int SLICE_MILLIS = 20;

    private static final int BUSY_SLICE_MILLIS = 2;
    private static final long RETRY_MILLIS = 250;

    private final BusParts parts;
    private final BeatLoop beats;
    private final Semaphore ending = new Semaphore(0);
    private volatile boolean closing;
    private boolean failed;

    ListenLoop(BusParts parts, BeatLoop beats) {
        this.parts = parts;
        this.beats = beats;
    }

    void leave() {
        closing = true;
        ending.release();
    }

    @Override
    public void run() {
        while (!closing) {
            try (Connection connection = parts.connector().open(Purpose.LISTEN)) {
                listen(connection);
            } catch (SQLException | RuntimeException e) {
                failed(e);
            }
        }
    }

    private void listen(Connection connection) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute("listen " + ControlSql.CHANNEL);
        }
        Lease.Server server = ControlSql.server(connection);
        parts.installer().checkSource(server);
        parts.probe().listening();
        parts.acknowledger().forget();
        beats.wake();
        PGConnection postgres = connection.unwrap(PGConnection.class);
        long pollNanos = parts.config().poll().toNanos();
        long lookedNanos = parts.now() - pollNanos;
        Acknowledger.Writer writer = (who, told) -> ControlSql.acknowledge(connection, who, told);
        boolean busy = true;
        while (!closing) {
            boolean hinted =
                    hinted(postgres.getNotifications(busy ? BUSY_SLICE_MILLIS : SLICE_MILLIS));
            boolean newer = false;
            if (hinted || parts.now() - lookedNanos >= pollNanos) {
                lookedNanos = parts.now();
                newer = parts.installer().install(parts.reader().read(connection));
                recovered();
            }
            // An epoch is acknowledged to the server that it was read from, and to no other.
            parts.installer().checkSource(server);
            busy = parts.acknowledger().step(writer, beats.incarnation(), beats.leaseMillis());
            // What is installed inherits the lease, so that only one without needs a beat now: with
            // one for each change, replicas would keep the database from everything else.
            if (newer && !parts.installer().view().current().trusted(parts.now())) {
                beats.wake();
            }
            parts.probe().check(parts.now());
            // Here too: the lease's own thread may be waiting for a database that hangs.
            if (parts.lease().clocksDisagree()) {
                parts.installer().distrust(parts.now());
            }
        }
    }

    private boolean hinted(PGNotification @Nullable [] notifications) {
        if (notifications == null) {
            return false;
        }
        boolean hinted = false;
        for (PGNotification notification : notifications) {
            String payload = notification.getParameter();
            parts.probe().received(payload);
            hinted |= !NotifyProbe.isProbe(payload);
        }
        return hinted;
    }

    private void recovered() {
        if (failed) {
            LOG.log(INFO, "event=listening-again");
            failed = false;
        }
    }

    private void failed(Exception e) {
        if (!failed) {
            failed = true;
            LOG.log(WARNING, "event=listening-failed reason=\"{0}\"", e.getMessage());
        }
        try {
            if (!closing && ending.tryAcquire(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                closing = true;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            closing = true;
        }
    }
}

package io.penstock.cluster.alert;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Records crossings, each once over all replicas, and has them delivered.
 *
 * <p><b>Guarantee.</b> What was recorded is delivered at least once while some replica has a
 * sender, and at most five times; who records it need not be who delivers it.
 *
 * <p><b>Failure.</b> Without a database, crossings wait; where too many wait they are dropped and
 * counted in the log. Nothing of it holds a call up.
 *
 * <p><b>Threads.</b> {@link #crossed} any, and never blocks; one thread of its own for the rest,
 * with a connection that is opened when there is something to say.
 */
public final class Alerts implements Crossing.Sink, AutoCloseable {
    private static final Logger LOG = System.getLogger(Alerts.class.getName());
    private static final int WAITING_MAX = 4_096;
    private static final int BATCH = 500;
    private static final int DELIVERED_AT_ONCE = 20;
    private static final String RECORD =
            "select budget, percent from penstock.record_alerts_v1(?, ?, ?, ?, ?)";
    private static final String CLAIM = "select * from penstock.claim_alerts_v1(?)";
    private static final String SENT = "select penstock.alert_sent_v1(?)";

    private final ArrayBlockingQueue<Crossing> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
    private final LongAdder dropped = new LongAdder();
    private final Connector connector;
    private final Watch watch;
    private final @Nullable AlertSender sender;
    private final long lookSeconds;
    private final Thread thread;
    private final List<Crossing> batch = new ArrayList<>();
    private @Nullable Connection connection;
    private volatile boolean closed;

    /** Hears of each alert that was recorded by this replica, for metrics. */
    @FunctionalInterface
    public interface Watch {
        void raised(String budget, int percent);
    }

    /**
     * @param sender null where this replica delivers none
     * @param lookSeconds how often it looks for alerts of others that nobody has delivered
     */
    public Alerts(
            Connector connector, Watch watch, @Nullable AlertSender sender, long lookSeconds) {
        this.connector = connector;
        this.watch = watch;
        this.sender = sender;
        this.lookSeconds = lookSeconds;
        thread = Thread.ofPlatform().daemon().name("penstock-alerts").unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    @Override
    public void crossed(Crossing crossing) {
        if (!waiting.offer(crossing)) {
            dropped.increment();
        }
    }

    private void run() {
        try {
            while (!closed) {
                round();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            disconnect();
        }
    }

    private void round() throws InterruptedException {
        if (batch.isEmpty()) {
            Crossing first = waiting.poll(lookSeconds, TimeUnit.SECONDS);
            if (first == null && sender == null) {
                return;
            }
            if (first != null) {
                batch.add(first);
                waiting.drainTo(batch, BATCH - 1);
            }
        }
        try {
            record();
            deliver();
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "event=alerts-failing reason=\"{0}\"", e.getMessage());
            disconnect();
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private Connection connected() throws SQLException {
        Connection now = connection;
        if (now == null) {
            now = connector.open(Purpose.POOL);
            connection = now;
        }
        return now;
    }

    private void disconnect() {
        Connection now = connection;
        connection = null;
        if (now != null) {
            try {
                now.close();
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "event=alerts-close reason=\"{0}\"", e.getMessage());
            }
        }
    }

    /** Recording again what was recorded changes nothing, so a lost answer is simply repeated. */
    private void record() throws SQLException {
        long lost = dropped.sumThenReset();
        if (lost > 0) {
            LOG.log(Level.WARNING, "event=alerts-dropped count={0}", lost);
        }
        if (batch.isEmpty()) {
            return;
        }
        try (PreparedStatement s = connected().prepareStatement(RECORD)) {
            Connection c = s.getConnection();
            s.setArray(
                    1,
                    c.createArrayOf("text", batch.stream().map(x -> x.counter().key()).toArray()));
            s.setArray(2, c.createArrayOf("int8", batch.stream().map(Crossing::index).toArray()));
            s.setArray(3, c.createArrayOf("int4", batch.stream().map(Crossing::percent).toArray()));
            s.setArray(4, c.createArrayOf("int8", batch.stream().map(Crossing::used).toArray()));
            s.setArray(
                    5,
                    c.createArrayOf(
                            "int8", batch.stream().map(x -> x.counter().limit()).toArray()));
            try (ResultSet row = s.executeQuery()) {
                while (row.next()) {
                    LOG.log(
                            Level.INFO,
                            "event=budget-alert budget={0} percent={1}",
                            row.getString(1),
                            row.getInt(2));
                    watch.raised(row.getString(1), row.getInt(2));
                }
            }
        }
        batch.clear();
    }

    private void deliver() throws SQLException {
        if (sender == null) {
            return;
        }
        List<Alert> due = claim();
        for (Alert alert : due) {
            if (!closed && sender.send(alert)) {
                sent(alert.id());
            }
        }
    }

    private List<Alert> claim() throws SQLException {
        List<Alert> alerts = new ArrayList<>();
        try (PreparedStatement s = connected().prepareStatement(CLAIM)) {
            s.setInt(1, DELIVERED_AT_ONCE);
            try (ResultSet row = s.executeQuery()) {
                while (row.next()) {
                    alerts.add(
                            new Alert(
                                    row.getObject(1, UUID.class),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getString(4),
                                    row.getInt(5),
                                    row.getLong(6),
                                    row.getLong(7),
                                    row.getObject(8, OffsetDateTime.class).toInstant()));
                }
            }
        }
        return alerts;
    }

    private void sent(UUID id) throws SQLException {
        try (PreparedStatement s = connected().prepareStatement(SENT)) {
            s.setObject(1, id);
            s.execute();
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}

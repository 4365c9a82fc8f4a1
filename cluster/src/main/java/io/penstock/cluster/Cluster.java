package io.penstock.cluster;

import io.penstock.cluster.admission.Admission;
import io.penstock.cluster.admission.AdmissionListener;
import io.penstock.cluster.admission.AdmissionRequest;
import io.penstock.cluster.admission.ControlSource;
import io.penstock.cluster.admission.Lanes;
import io.penstock.cluster.admission.LanesConfig;
import io.penstock.cluster.admission.PostgresLaneOpener;
import io.penstock.cluster.admission.Verdict;
import io.penstock.cluster.alert.AlertSender;
import io.penstock.cluster.alert.Alerts;
import io.penstock.cluster.alert.Crossing;
import io.penstock.cluster.control.BusConfig;
import io.penstock.cluster.control.BusEvents;
import io.penstock.cluster.control.Clocks;
import io.penstock.cluster.control.ControlBus;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.control.Incarnation;
import io.penstock.cluster.control.OpenCalls;
import io.penstock.cluster.journal.Journal;
import io.penstock.cluster.membership.Duties;
import io.penstock.cluster.operator.Blocks;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.PostgresException;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.store.SealKeyRing;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One replica's part in its cluster: control bus, lanes and journal of the present incarnation.
 *
 * <p><b>Guarantee.</b> Lanes belong to one incarnation each. When it is over, calls that wait there
 * are refused, and the next one's lanes take over; nothing of an old incarnation is given back
 * under a new one's name.
 *
 * <p><b>Threads.</b> Safe for concurrent use; {@link #start} and {@link #close} once each.
 */
public final class Cluster implements Admission, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Cluster.class.getName());
    private static final long ALERTS_LOOK_SECONDS = 30;

    private final Connector connector;
    private final LanesConfig lanesConfig;
    private final Clocks clocks;
    private final LoadedState loaded;
    private final Blocks blocks;
    private final ControlBus bus;
    private final Journal journal;
    private final Duties duties;
    private final AdmissionListener listener;
    private final Alerts alerts;
    private volatile @Nullable Lanes lanes;
    private volatile boolean closed;

    public Cluster(
            Connector connector,
            BusConfig busConfig,
            LanesConfig lanesConfig,
            Duration journalRetention,
            AdmissionListener listener,
            Alerting alerting,
            Clocks clocks) {
        this.connector = connector;
        this.lanesConfig = lanesConfig;
        this.clocks = clocks;
        alerts = new Alerts(connector, alerting.watch(), alerting.sender(), ALERTS_LOOK_SECONDS);
        this.listener = new WithAlerts(listener, alerts);
        loaded = new LoadedState(clocks.ticker());
        blocks = new Blocks(connector);
        bus = new ControlBus(busConfig, connector, loaded, clocks);
        journal =
                new Journal(
                        () -> connector.open(Purpose.JOURNAL),
                        clocks.ids().get(),
                        () -> bus.incarnation().id(),
                        clocks.ticker());
        duties = new Duties(connector, bus::incarnation, clocks.ticker());
        Housekeeping.register(duties, journalRetention, clocks.ticker());
    }

    /**
     * Who hears of budgets that are nearly used up.
     *
     * @param sender null where this replica delivers no alerts
     */
    public record Alerting(Alerts.Watch watch, @Nullable AlertSender sender) {
        /** Recorded only. */
        public static final Alerting NONE = new Alerting((_, _) -> {}, null);
    }

    /** Hands crossings on to the alerts, and the rest to the metrics. */
    private record WithAlerts(AdmissionListener listener, Alerts alerts)
            implements AdmissionListener {
        @Override
        public void decided(Verdict verdict, long waitedNanos) {
            listener.decided(verdict, waitedNanos);
        }

        @Override
        public void batch(int lane, int calls, long roundNanos, long lockWaitMicros) {
            listener.batch(lane, calls, roundNanos, lockWaitMicros);
        }

        @Override
        public void waiting(int calls, int lanes) {
            listener.waiting(calls, lanes);
        }

        @Override
        public void connection(int lane, boolean up) {
            listener.connection(lane, up);
        }

        @Override
        public void crossed(Crossing crossing) {
            alerts.crossed(crossing);
        }
    }

    /**
     * Blocks an agent for a while, with this replica's own rights.
     *
     * @return when the block ends, by the database's clock
     * @throws PostgresException where it was not recorded, or is not known to be
     */
    public Instant block(Blocks.Agent agent, Duration length, Blocks.Order order) {
        try {
            return blocks.block(agent, length, order);
        } catch (SQLException e) {
            throw new PostgresException("the block was not recorded: " + e.getMessage(), e);
        }
    }

    /** What this replica leads now. */
    public Set<String> leads() {
        return duties.leads();
    }

    /**
     * Starts everything; waits for nothing. The view stays closed until the first beat has
     * succeeded.
     *
     * @param calls what is under way on this replica
     * @param callsTotal how many calls the replica has taken since it began
     */
    public void start(OpenCalls calls, LongSupplier callsTotal) {
        bus.start(calls, new Events(), callsTotal);
        replaceLanes(bus.incarnation());
        journal.start();
        alerts.start();
        duties.start();
    }

    public ControlBus bus() {
        return bus;
    }

    public ControlView view() {
        return bus.view();
    }

    /** The keys that session ids are sealed with, or null before they were read. */
    public @Nullable SealKeyRing sealKeys() {
        return loaded.sealKeys();
    }

    public Journal journal() {
        return journal;
    }

    /** Whether at least one lane has a connection to the ledger. */
    public boolean ledgerConnected() {
        Lanes now = lanes;
        return now != null && now.connected();
    }

    /** Calls that wait for admission now. */
    public int waiting() {
        Lanes now = lanes;
        return now == null ? 0 : now.waiting();
    }

    @Override
    public Verdict admit(AdmissionRequest request) {
        Lanes now = lanes;
        return now == null ? new Verdict.Unavailable() : now.admit(request);
    }

    @Override
    public void giveBack(Verdict.Admitted admitted) {
        Lanes now = lanes;
        if (now != null) {
            now.giveBack(admitted);
        }
    }

    @Override
    public void settle(Verdict.Admitted admitted, List<Spent> spent) {
        Lanes now = lanes;
        if (now != null) {
            now.settle(admitted, spent);
        }
    }

    /**
     * Hands its duties over, ends the lanes, then the lease, then the journal with all it has. To
     * be called after the last call has ended.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        duties.close();
        closeLanes();
        alerts.close();
        bus.close();
        journal.close();
    }

    private synchronized void replaceLanes(Incarnation incarnation) {
        if (closed) {
            return;
        }
        Lanes before = lanes;
        Lanes next =
                new Lanes(
                        lanesConfig,
                        new PostgresLaneOpener(
                                () -> connector.open(Purpose.LANE),
                                bus::checkServer,
                                incarnation.id()),
                        new BusSource(),
                        listener,
                        () -> bus.superseded(incarnation),
                        clocks.ticker());
        next.start();
        lanes = next;
        if (before != null) {
            // Not on the lease's thread: it waits for lanes that may hang on a dead server.
            Thread.ofVirtual().name("penstock-old-lanes").start(before::close);
        }
    }

    private synchronized void closeLanes() {
        Lanes now = lanes;
        lanes = null;
        if (now != null) {
            now.close();
        }
    }

    /** The control bus as lanes see it. */
    private final class BusSource implements ControlSource {
        @Override
        public ControlView view() {
            return bus.view();
        }

        @Override
        public void refresh(Connection connection) throws SQLException {
            bus.refresh(connection);
        }
    }

    /** What the control bus tells. */
    private final class Events implements BusEvents {
        @Override
        public void incarnationChanged(Incarnation over, Incarnation next) {
            LOG.log(Level.WARNING, "event=incarnation-over incarnation={0} next={1}", over, next);
            replaceLanes(next);
        }

        @Override
        public void serverChanged() {
            LOG.log(Level.WARNING, "event=database-server-changed");
            replaceLanes(bus.incarnation());
        }

        @Override
        public void opened() {
            LOG.log(Level.INFO, "event=gate-opened epoch={0}", view().current().epoch());
        }

        @Override
        public void lapsed(String reason) {
            LOG.log(Level.WARNING, "event=gate-closed reason=\"{0}\"", reason);
        }
    }
}

package io.penstock.gateway;

import io.penstock.budget.Subject;
import io.penstock.cluster.Cluster;
import io.penstock.cluster.admission.LanesConfig;
import io.penstock.cluster.control.Announcement;
import io.penstock.cluster.control.BusConfig;
import io.penstock.cluster.control.Clocks;
import io.penstock.cluster.journal.RefusalEntry;
import io.penstock.cluster.operator.StopSwitch;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Pool;
import io.penstock.cluster.store.AdminQueries;
import io.penstock.gateway.admin.AdminPlane;
import io.penstock.gateway.admin.Meters;
import io.penstock.gateway.alert.Webhook;
import io.penstock.gateway.api.DoorRefusals;
import io.penstock.gateway.call.CallIds;
import io.penstock.gateway.call.CallObserver;
import io.penstock.gateway.call.OpenCallRegistry;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.ReplicaConfig;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.socket.Pollers;
import io.penstock.gateway.warmup.WarmUp;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One gateway process: boots closed, serves, drains.
 *
 * <p><b>Guarantee.</b> The admin plane answers from the start and says why the replica is not
 * ready. The data plane listens only once the database can be served with, the rules are settled
 * and the first lease was earned.
 *
 * <p><b>Failure.</b> {@link ReplicaRefusedException} where the configuration cannot hold;
 * everything else that is missing is waited for.
 *
 * <p><b>Threads.</b> {@link #start} blocks its caller until the replica serves or was told to
 * leave, {@link #drain} until it has left; different threads may call them.
 */
public final class Replica {
    private static final System.Logger LOG = System.getLogger(Replica.class.getName());
    private static final long FIRST_LEASE_LOOK_MILLIS = 2;

    /** Who is not known calls what was not reached. */
    private static final Subject NOBODY = new Subject("", "", "", "", null);

    private final ReplicaConfig config;
    private final Clocks clocks;
    private final OpenCallRegistry registry;
    private final Pollers pollers = new Pollers();
    private final Boot boot;
    private final Cluster cluster;
    private final Pool pool;
    private final Meters meters;
    private final DataPlane dataPlane;
    private final AdminPlane adminPlane;
    private final LongAdder callsTotal = new LongAdder();
    private final CountDownLatch leaving = new CountDownLatch(1);
    private final AtomicBoolean drained = new AtomicBoolean();
    private volatile boolean clustered;
    private volatile boolean serving;

    /**
     * Puts everything together; opens no socket yet.
     *
     * @throws IllegalArgumentException where a file that the configuration names cannot be used
     */
    public Replica(ReplicaConfig config, String version, Clocks clocks) {
        this.config = config;
        this.clocks = clocks;
        DatabaseConfig database = config.database().connection();
        Connector connector = new Connector(database);
        meters = new Meters(config.servers().stream().map(ServerConfig::name).toList());
        registry = new OpenCallRegistry(clocks.ticker());
        boot = new Boot(database, config.rules(), config.replica());
        cluster =
                new Cluster(
                        connector,
                        new BusConfig(
                                config.replica(),
                                announcement(config, version),
                                config.control().poll(),
                                config.control().latchFile()),
                        new LanesConfig(
                                config.admission().deadline(),
                                config.admission().queue(),
                                config.admission().lanes()),
                        config.journal().retention(),
                        meters,
                        new Cluster.Alerting(
                                meters,
                                config.alerts().webhook() == null
                                        ? null
                                        : new Webhook(config.alerts())),
                        clocks);
        pool = new Pool(connector);
        dataPlane =
                new DataPlane(
                        config,
                        cluster,
                        new ClusterSealKeys(cluster, clocks.ticker()),
                        registry,
                        new CallIds(clocks.wall(), ThreadLocalRandom::current),
                        new DataPlane.Watchers(new Counting(), new Journaled(), meters),
                        pollers,
                        clocks.ticker(),
                        clocks.wall());
        adminPlane = adminPlane(version, connector);
        meters.control(cluster.view(), clocks.ticker());
        meters.upstreams(dataPlane.upstreams());
        meters.openCalls(registry::open);
        meters.pool(pool::open);
    }

    private AdminPlane adminPlane(String version, Connector connector) {
        ClusterOrders orders =
                new ClusterOrders(cluster, new StopSwitch(connector, clocks.ticker()));
        OwnState own =
                new OwnState(
                        config.replica(),
                        version,
                        cluster,
                        registry,
                        clocks.ticker(),
                        this::ready,
                        () -> leaving.getCount() == 0,
                        () -> clustered,
                        this::whyClosed);
        return new AdminPlane(
                pollers,
                config.admin(),
                config.readiness(),
                new AdminPlane.Ports(own, new ClusterViews(new AdminQueries(pool)), orders, orders),
                meters,
                new AdminPlane.Sources(clocks.ticker(), clocks.wall(), clocks.ids()));
    }

    /**
     * Boots and serves.
     *
     * @return false if {@link #drain} was called before it served
     */
    public boolean start() {
        LOG.log(Level.INFO, "event=starting " + config.effectiveLine());
        adminPlane.start();
        Thread warming =
                Thread.ofVirtual()
                        .start(
                                new WarmUp(pollers, clocks.ticker(), clocks.wall(), clocks.ids())
                                        ::run);
        if (!boot.await()) {
            return false;
        }
        cluster.start(registry, callsTotal::sum);
        clustered = true;
        if (!awaitFirstLease() || !finished(warming)) {
            return false;
        }
        dataPlane.start();
        serving = true;
        LOG.log(
                Level.INFO,
                "event=ready replica={0} listen={1}:{2} epoch={3} revision={4}",
                config.replica(),
                config.listen().host(),
                Integer.toString(dataPlane.port()),
                cluster.view().current().epoch(),
                cluster.view().current().rules().revision());
        return true;
    }

    /** The port that agents call. */
    public int port() {
        return dataPlane.port();
    }

    /** Whether the replica answers calls, be it with refusals. */
    public boolean ready() {
        return serving && leaving.getCount() > 0;
    }

    /** Why no call can be admitted now, or null when calls can be. */
    public @Nullable String whyClosed() {
        if (leaving.getCount() == 0) {
            return "draining";
        }
        String waits = boot.why();
        return waits == null ? cluster.bus().whyClosed() : waits;
    }

    /**
     * Leaves: not ready first, still serving for the drain delay; then no new connections, calls
     * under way until the drain timeout; then the rows. Returns when all is closed; later calls
     * return at once.
     */
    public void drain() {
        if (!drained.compareAndSet(false, true)) {
            return;
        }
        leaving.countDown();
        boot.abandon();
        if (serving) {
            LOG.log(Level.INFO, "event=draining replica={0}", config.replica());
            cluster.bus().drain();
            dataPlane.beginDrain();
            pause(config.drain().delay());
        }
        dataPlane.close(config.drain().timeout());
        cluster.close();
        pool.close();
        adminPlane.close();
        pollers.close();
        meters.close();
        LOG.log(Level.INFO, "event=left replica={0}", config.replica());
    }

    private boolean awaitFirstLease() {
        try {
            while (!trusted()) {
                if (leaving.await(FIRST_LEASE_LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean finished(Thread warming) {
        try {
            warming.join();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean trusted() {
        return cluster.view().current().trustedUntilNanos() - clocks.ticker().getAsLong() > 0;
    }

    private static void pause(Duration delay) {
        try {
            TimeUnit.NANOSECONDS.sleep(delay.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Announcement announcement(ReplicaConfig config, String version) {
        return new Announcement(
                version,
                address(config.listen()),
                address(config.admin().listen()),
                config.fingerprint());
    }

    private static String address(ListenConfig listen) {
        return listen.host() + ":" + listen.port();
    }

    /** Counts calls for the beat, and passes on to the metrics. */
    private final class Counting implements CallObserver {
        @Override
        public void decided(String decision, String server, long elapsedNanos) {
            callsTotal.increment();
            meters.decided(decision, server, elapsedNanos);
        }

        @Override
        public void admissionTook(long elapsedNanos) {
            meters.admissionTook(elapsedNanos);
        }

        @Override
        public void wouldRefuse(String budget) {
            meters.wouldRefuse(budget);
        }

        @Override
        public void warned(String budget) {
            meters.warned(budget);
        }

        @Override
        public void upstreamTook(String server, long elapsedNanos) {
            meters.upstreamTook(server, elapsedNanos);
        }
    }

    /** Journals and counts what the doors refused. */
    private final class Journaled implements DoorRefusals {
        @Override
        public void refused(RefusalCode code, @Nullable Subject subject, UUID call) {
            meters.refused(code, subject, call);
            cluster.journal()
                    .refusal(
                            new RefusalEntry(
                                    call, subject == null ? NOBODY : subject, code.label(), null));
        }

        @Override
        public void rejected(int status, UUID call) {
            meters.rejected(status, call);
        }
    }
}

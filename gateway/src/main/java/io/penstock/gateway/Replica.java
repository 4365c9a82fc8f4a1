package io.penstock.gateway;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.admission.LanesConfig;
import io.penstock.cluster.control.Announcement;
import io.penstock.cluster.control.BusConfig;
import io.penstock.cluster.control.Clocks;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.gateway.call.OpenCallRegistry;
import io.penstock.gateway.config.ReplicaConfig;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One gateway process: boots closed, serves, drains.
 *
 * <p><b>Guarantee.</b> The admin plane answers from the start and says why the replica is not ready. The data plane
 * listens only once the database can be served with, the rules are settled and the first lease was earned.
 *
 * <p><b>Failure.</b> {@link ReplicaRefusedException} where the configuration cannot hold; everything else that is
 * missing is waited for.
 *
 * <p><b>Threads.</b> {@link #start} blocks its caller until the replica serves, {@link #drain} until it has left; they
 * may be called by different threads.
 */
public final class Replica {
    private static final System.Logger LOG = System.getLogger(Replica.class.getName());
    private static final long LEASE_LOOK_MILLIS = 5;

    private final ReplicaConfig config;
    private final String version;
    private final Clocks clocks;
    private final OpenCallRegistry registry;
    private final Boot boot;
    private final Cluster cluster;
    private final DataPlane dataPlane;
    private final LongAdder callsTotal = new LongAdder();
    private final AtomicBoolean draining = new AtomicBoolean();
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile boolean serving;

    public Replica(ReplicaConfig config, String version, Clocks clocks) {
        this.config = config;
        this.version = version;
        this.clocks = clocks;
        DatabaseConfig database = config.database().connection();
        registry = new OpenCallRegistry(clocks.ticker());
        boot = new Boot(database, config.rules(), config.replica());
        cluster =
                new Cluster(
                        new Connector(database),
                        new BusConfig(
                                config.replica(),
                                announcement(),
                                config.control().poll(),
                                config.control().latchFile()),
                        new LanesConfig(
                                config.admission().deadline(),
                                config.admission().queue(),
                                config.admission().lanes()),
                        clocks);
        dataPlane = null;
    }

    private Announcement announcement() {
        return new Announcement(version, "", "", config.fingerprint());
    }
}

package io.penstock.gateway.admin;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.budget.Subject;
import io.penstock.cluster.admission.AdmissionListener;
import io.penstock.cluster.control.ControlView;
import io.penstock.gateway.api.DoorRefusals;
import io.penstock.gateway.call.CallObserver;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.door.DataListener;
import io.penstock.gateway.door.DoorEvents;
import io.penstock.gateway.upstream.PooledUpstream;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a replica counts and measures, for {@code /metrics}.
 *
 * <p><b>Bounds.</b> Labels are names of configured servers and budgets, and words of our own; never
 * an agent, a tenant or a tool. What is not known counts as {@code none} or {@code other}.
 *
 * <p><b>Threads.</b> Safe for concurrent use. The registry is this object's own, not the library's
 * global one: two replicas in one process do not share it.
 *
 * <p><b>Cost.</b> Each method of the observers: under 200 ns, and no allocation once a label was
 * seen.
 */
public final class Meters
        implements CallObserver, DoorRefusals, AdmissionListener, DoorEvents, AutoCloseable {
    private static final String NO_SERVER = "none";
    private static final String OTHER = "other";
    private static final Set<String> DOOR_REASONS_FIRST = Set.of("header", "body", "idle", "write");

    /** A door has a few fixed reasons; more than this many would be a leak of labels. */
    private static final int REASONS_MAX = 40;

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<String, ServerMeters> servers;
    private final ServerMeters noServer;
    private final Timer call = timer("penstock.call", "From arrival to the end of the answer.");
    private final Timer admission =
            timer("penstock.admission", "From asking for admission to the verdict.");
    private final Timer round =
            timer("penstock.admission.round", "One round trip of a batch to the database.");
    private final Timer lockWait =
            timer("penstock.admission.lock.wait", "How long a batch waited for locks.");
    private final DistributionSummary batch =
            DistributionSummary.builder("penstock.admission.batch")
                    .description("Calls decided together by one transaction.")
                    .baseUnit("calls")
                    .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
                    .register(registry);
    private final MultiGauge budgets =
            MultiGauge.builder("penstock.budget.used.ratio")
                    .description("Used share of the fullest counter of each enforced budget.")
                    .register(registry);
    private final Reasons refused;
    private final Reasons timedOut;
    private final Reasons rejected;
    private final LongAdder connectionsOpened = new LongAdder();
    private final LongAdder connectionsClosed = new LongAdder();
    private final AtomicBoolean machineBound = new AtomicBoolean();
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private volatile int waiting;
    private volatile int lanes;

    /**
     * @param servers names of the configured servers
     */
    public Meters(Collection<String> servers) {
        Map<String, ServerMeters> byName = new HashMap<>();
        for (String name : servers) {
            byName.put(name, new ServerMeters(registry, name));
        }
        this.servers = Map.copyOf(byName);
        noServer = new ServerMeters(registry, NO_SERVER);
        refused =
                new Reasons(
                        registry,
                        "penstock.http.refused",
                        "Requests that the listener answered itself, because they are not proper.");
        timedOut =
                new Reasons(
                        registry,
                        "penstock.http.timeouts",
                        "Connections that the listener closed for being too slow.");
        DOOR_REASONS_FIRST.forEach(timedOut::of);
        rejected =
                new Reasons(
                        registry,
                        "penstock.requests.rejected",
                        "Requests that the protocol itself calls wrong, by status.");
        gauge("penstock.admission.waiting", "Calls that wait for admission.", () -> waiting);
        gauge("penstock.admission.lanes", "Lanes at work.", () -> lanes);
        FunctionCounter.builder("penstock.http.connections", connectionsOpened, LongAdder::sum)
                .description("Connections that were accepted.")
                .register(registry);
        gauge(
                "penstock.http.connections.open",
                "Connections that are open.",
                () -> connectionsOpened.sum() - connectionsClosed.sum());
    }

    private Timer timer(String name, String description) {
        return Times.builder(name, description).register(registry);
    }

    private void gauge(String name, String description, LongSupplier value) {
        Gauge.builder(name, value, LongSupplier::getAsLong)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    /** Shows the control state that calls are judged by. */
    public void control(ControlView view, LongSupplier ticker) {
        gauge("penstock.control.epoch", "Installed control epoch.", () -> view.current().epoch());
        gauge(
                "penstock.stop.active",
                "Stops that hold on this replica.",
                () -> view.current().stops().size());
        Gauge.builder(
                        "penstock.control.lease",
                        view,
                        v -> (v.current().trustedUntilNanos() - ticker.getAsLong()) / 1e9)
                .description("What is left of the lease; nothing is admitted at 0 and below.")
                .baseUnit("seconds")
                .strongReference(true)
                .register(registry);
    }

    /** Shows the pools and circuits of the upstreams. */
    public void upstreams(Collection<PooledUpstream> upstreams) {
        for (PooledUpstream each : upstreams) {
            upstream(each, "open", PooledUpstream::openConnections);
            upstream(each, "idle", PooledUpstream::idleConnections);
            Tags tags = Tags.of("server", each.name());
            Gauge.builder("penstock.upstream.calls", each, PooledUpstream::inUse)
                    .description("Calls that are at this server now.")
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
            Gauge.builder(
                            "penstock.upstream.circuit.open",
                            each,
                            u -> u.circuit().equals("closed") ? 0 : 1)
                    .description("1 while the server is left alone or only tried.")
                    .tags(tags)
                    .strongReference(true)
                    .register(registry);
            FunctionCounter.builder("penstock.upstream.connects", each, PooledUpstream::connects)
                    .description("Connections made.")
                    .tags(tags)
                    .register(registry);
            FunctionCounter.builder(
                            "penstock.upstream.connect.failures",
                            each,
                            PooledUpstream::connectFailures)
                    .description("Connections that could not be made.")
                    .tags(tags)
                    .register(registry);
        }
    }

    private void upstream(
            PooledUpstream upstream,
            String state,
            java.util.function.ToDoubleFunction<PooledUpstream> value) {
        Gauge.builder("penstock.upstream.connections", upstream, value)
                .description("Connections to this server: all that are open, and the idle of them.")
                .tags("server", upstream.name(), "state", state)
                .strongReference(true)
                .register(registry);
    }

    /** Shows how many requests the data plane is answering. */
    public void listener(DataListener listener) {
        gauge("penstock.http.requests.active", "Requests being answered.", listener::calls);
    }

    /** Where other parts put meters of their own, such as a connection pool. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** Replaces the used share of each budget. */
    void budgets(Map<String, Double> usedRatio) {
        List<MultiGauge.Row<?>> rows =
                usedRatio.entrySet().stream()
                        .<MultiGauge.Row<?>>map(
                                entry ->
                                        MultiGauge.Row.of(
                                                Tags.of("budget", entry.getKey()),
                                                entry.getValue()))
                        .toList();
        budgets.register(rows, true);
    }

    /** All meters in Prometheus's text format. */
    String scrape() {
        if (machineBound.compareAndSet(false, true)) {
            // Reading the machine's beans is slow the first time: not while a replica boots.
            new JvmMemoryMetrics().bindTo(registry);
            new JvmThreadMetrics().bindTo(registry);
            collections.bindTo(registry);
            new ProcessorMetrics().bindTo(registry);
            new FileDescriptorMetrics().bindTo(registry);
            new UptimeMetrics().bindTo(registry);
        }
        return registry.scrape();
    }

    @Override
    public void decided(String decision, String server, long elapsedNanos) {
        of(server).decision(decision).increment();
        call.record(elapsedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void refused(RefusalCode code, @Nullable Subject subject, UUID id) {
        of(subject == null ? NO_SERVER : subject.server()).decision(code.label()).increment();
    }

    @Override
    public void rejected(int status, UUID id) {
        rejected.of(Integer.toString(status)).increment();
    }

    @Override
    public void admissionTook(long elapsedNanos) {
        admission.record(elapsedNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void upstreamTook(String server, long elapsedNanos) {
        of(server).upstream.record(elapsedNanos, TimeUnit.NANOSECONDS);
    }

    private ServerMeters of(String server) {
        return servers.getOrDefault(server, noServer);
    }

    @Override
    public void batch(int lane, int calls, long roundNanos, long lockWaitMicros) {
        batch.record(calls);
        round.record(roundNanos, TimeUnit.NANOSECONDS);
        lockWait.record(lockWaitMicros, TimeUnit.MICROSECONDS);
    }

    @Override
    public void waiting(int calls, int lanes) {
        waiting = calls;
        this.lanes = lanes;
    }

    @Override
    public void opened() {
        connectionsOpened.increment();
    }

    @Override
    public void closed() {
        connectionsClosed.increment();
    }

    @Override
    public void refused(String reason) {
        refused.of(reason).increment();
    }

    @Override
    public void timedOut(String reason) {
        timedOut.of(reason).increment();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }

    /** What is counted for one server. */
    private static final class ServerMeters {
        private static final Set<String> DECISIONS = decisions();

        private final PrometheusMeterRegistry registry;
        private final String name;
        private final Timer upstream;
        private final ConcurrentHashMap<String, Counter> decisions = new ConcurrentHashMap<>();

        ServerMeters(PrometheusMeterRegistry registry, String name) {
            this.registry = registry;
            this.name = name;
            upstream =
                    Times.builder(
                                    "penstock.upstream",
                                    "From the first byte sent to the end of the answer.")
                            .tag("server", name)
                            .register(registry);
            decision("admitted");
        }

        private static Set<String> decisions() {
            Set<String> words = new HashSet<>();
            words.add("admitted");
            for (RefusalCode code : RefusalCode.values()) {
                words.add(code.label());
            }
            return Set.copyOf(words);
        }

        Counter decision(String word) {
            Counter seen = decisions.get(word);
            if (seen != null) {
                return seen;
            }
            return DECISIONS.contains(word) || word.equals(OTHER) ? make(word) : decision(OTHER);
        }

        private Counter make(String word) {
            return decisions.computeIfAbsent(
                    word,
                    decision ->
                            Counter.builder("penstock.calls")
                                    .description("Calls, by what was decided.")
                                    .tags("decision", decision, "server", name)
                                    .register(registry));
        }
    }

    /** Counters by one reason; what comes after the bound counts as {@code other}. */
    private static final class Reasons {
        private final PrometheusMeterRegistry registry;
        private final String name;
        private final String description;
        private final ConcurrentHashMap<String, Counter> counters = new ConcurrentHashMap<>();

        Reasons(PrometheusMeterRegistry registry, String name, String description) {
            this.registry = registry;
            this.name = name;
            this.description = description;
        }

        Counter of(String reason) {
            @Nullable Counter seen = counters.get(reason);
            if (seen != null) {
                return seen;
            }
            return counters.computeIfAbsent(
                    counters.size() < REASONS_MAX ? reason : OTHER,
                    word ->
                            Counter.builder(name)
                                    .description(description)
                                    .tag("reason", word)
                                    .register(registry));
        }
    }
}

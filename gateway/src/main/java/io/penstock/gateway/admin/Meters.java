package io.penstock.gateway.admin;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.penstock.budget.Subject;
import io.penstock.cluster.admission.AdmissionListener;
import io.penstock.cluster.alert.Alerts;
import io.penstock.cluster.control.ControlView;
import io.penstock.gateway.api.DoorRefusals;
import io.penstock.gateway.call.CallObserver;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.door.DoorEvents;
import io.penstock.gateway.upstream.PooledUpstream;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a replica counts and measures, for {@code /metrics}.
 *
 * <p><b>Bounds.</b> Labels are names of configured servers and budgets, and words of our own; never
 * an agent, a tenant or a tool. What is not known counts as {@code none} or {@code other}.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> Each method of the observers: about 40 ns on one thread, up to 300 ns where two
 * contend on a busy machine, and no allocation once a label was seen.
 */
public final class Meters
        implements CallObserver,
                DoorRefusals,
                AdmissionListener,
                Alerts.Watch,
                DoorEvents,
                AutoCloseable {
    private static final String NO_SERVER = "none";

    private final Exposition exposition = new Exposition();
    private final Map<String, ServerMeters> servers;
    private final ServerMeters noServer;
    private final Histogram call = Histogram.ofTimes();
    private final Histogram admission = Histogram.ofTimes();
    private final Histogram round = Histogram.ofTimes();
    private final Histogram lockWait = Histogram.ofTimes();
    private final Histogram batch = new Histogram(Histogram.CALLS, 1);
    private final LabelledCounters doorRefusals;
    private final LabelledCounters doorTimeouts;
    private final LabelledCounters rejections;
    private final LabelledCounters shadowRefusals;
    private final LabelledCounters warnings;
    private final LabelledCounters alerts;
    private final LongAdder connectionsOpened = new LongAdder();
    private final LongAdder connectionsClosed = new LongAdder();
    private volatile Map<String, Double> budgetRatios = Map.of();
    private volatile @Nullable MultiGauge budgets;
    private volatile int waiting;
    private volatile int lanes;

    /**
     * @param servers names of the configured servers
     */
    public Meters(Collection<String> servers) {
        Map<String, ServerMeters> byName = new HashMap<>();
        for (String name : servers) {
            byName.put(name, new ServerMeters(exposition, name));
        }
        this.servers = Map.copyOf(byName);
        noServer = new ServerMeters(exposition, NO_SERVER);
        doorRefusals =
                byReason(
                        "penstock.http.refused",
                        "Requests that the listener answered itself, because they are not proper.");
        doorTimeouts =
                byReason(
                        "penstock.http.timeouts",
                        "Connections that the listener closed for being too slow.");
        rejections =
                new LabelledCounters(
                        exposition,
                        new LabelledCounters.Name(
                                "penstock.requests.rejected",
                                "Requests that the protocol itself calls wrong.",
                                "status",
                                Tags.empty()),
                        Set.of());
        shadowRefusals =
                new LabelledCounters(
                        exposition,
                        new LabelledCounters.Name(
                                "penstock.shadow.refusals",
                                "Calls that a shadow budget would have refused, and that went on.",
                                "budget",
                                Tags.empty()),
                        Set.of());
        warnings =
                new LabelledCounters(
                        exposition,
                        new LabelledCounters.Name(
                                "penstock.budget.warnings",
                                "Calls that a budget in mode warn would have refused, and that went"
                                        + " on.",
                                "budget",
                                Tags.empty()),
                        Set.of());
        alerts =
                new LabelledCounters(
                        exposition,
                        new LabelledCounters.Name(
                                "penstock.budget.alerts",
                                "Times that a counter passed a share of its limit that notify-at"
                                        + " names; once for each counter and window, on the replica"
                                        + " that recorded it.",
                                "budget",
                                Tags.empty()),
                        Set.of());
        histograms();
        gauge("penstock.admission.waiting", "Calls that wait for admission.", () -> waiting);
        gauge("penstock.admission.lanes", "Lanes at work.", () -> lanes);
        gauge(
                "penstock.http.connections.open",
                "Connections that are open.",
                () -> connectionsOpened.sum() - connectionsClosed.sum());
        counter("penstock.http.connections", "Connections that were accepted.", connectionsOpened);
        exposition.add(
                registry -> {
                    budgets =
                            MultiGauge.builder("penstock.budget.used.ratio")
                                    .description(
                                            "Used share of the fullest counter of each enforced"
                                                    + " budget.")
                                    .register(registry);
                    budgets(budgetRatios);
                });
    }

    private LabelledCounters byReason(String name, String help) {
        return new LabelledCounters(
                exposition,
                new LabelledCounters.Name(name, help, "reason", Tags.empty()),
                Set.of());
    }

    private void histograms() {
        exposition.histogram(
                "penstock_call_seconds", "From arrival to the end of the answer.", call);
        exposition.histogram(
                "penstock_admission_seconds",
                "From asking for admission to the verdict.",
                admission);
        exposition.histogram(
                "penstock_admission_round_seconds",
                "One round trip of a batch to the database.",
                round);
        exposition.histogram(
                "penstock_admission_lock_wait_seconds",
                "How long a batch waited for locks.",
                lockWait);
        exposition.histogram(
                "penstock_admission_batch_calls",
                "Calls decided together by one transaction.",
                batch);
        Map<String, Histogram> byServer = new HashMap<>();
        servers.forEach((name, meters) -> byServer.put(name, meters.upstream));
        exposition.histogram(
                "penstock_upstream_seconds",
                "From the first byte sent to the end of the answer.",
                "server",
                Map.copyOf(byServer));
    }

    private void gauge(String name, String help, LongSupplier value) {
        gauge(name, help, Tags.empty(), value, LongSupplier::getAsLong);
    }

    private <T> void gauge(String name, String help, Tags tags, T of, ToDoubleFunction<T> value) {
        exposition.add(
                registry ->
                        Gauge.builder(name, of, value)
                                .description(help)
                                .tags(tags)
                                .strongReference(true)
                                .register(registry));
    }

    private void counter(String name, String help, LongAdder value) {
        exposition.add(
                registry ->
                        FunctionCounter.builder(name, value, LongAdder::sum)
                                .description(help)
                                .register(registry));
    }

    /** Shows the control state that calls are judged by. */
    public void control(ControlView view, LongSupplier ticker) {
        gauge("penstock.control.epoch", "Installed control epoch.", () -> view.current().epoch());
        gauge(
                "penstock.stop.active",
                "Stops that hold on this replica.",
                () -> view.current().stops().size());
        gauge(
                "penstock.control.lease.seconds",
                "What is left of the lease; nothing is admitted at 0 and below.",
                Tags.empty(),
                view,
                v -> (v.current().trustedUntilNanos() - ticker.getAsLong()) / 1e9);
    }

    /** Shows the pools and circuits of the upstreams. */
    public void upstreams(Collection<PooledUpstream> upstreams) {
        upstreams.forEach(this::upstream);
    }

    private void upstream(PooledUpstream upstream) {
        Tags tags = Tags.of("server", upstream.name());
        String connections = "Connections to this server: all that are open, and the idle of them.";
        gauge(
                "penstock.upstream.connections",
                connections,
                tags.and("state", "open"),
                upstream,
                PooledUpstream::openConnections);
        gauge(
                "penstock.upstream.connections",
                connections,
                tags.and("state", "idle"),
                upstream,
                PooledUpstream::idleConnections);
        gauge(
                "penstock.upstream.calls",
                "Calls that are at this server now.",
                tags,
                upstream,
                PooledUpstream::inUse);
        gauge(
                "penstock.upstream.circuit.open",
                "1 while the server is left alone, or only tried.",
                tags,
                upstream,
                u -> u.circuit().equals("closed") ? 0 : 1);
        exposition.add(
                registry -> {
                    FunctionCounter.builder(
                                    "penstock.upstream.connects",
                                    upstream,
                                    PooledUpstream::connects)
                            .description("Connections made.")
                            .tags(tags)
                            .register(registry);
                    FunctionCounter.builder(
                                    "penstock.upstream.connect.failures",
                                    upstream,
                                    PooledUpstream::connectFailures)
                            .description("Connections that could not be made.")
                            .tags(tags)
                            .register(registry);
                });
    }

    /** Shows how many calls are under way. */
    public void openCalls(LongSupplier open) {
        gauge("penstock.calls.open", "Calls and streams under way.", open);
    }

    /** Shows the pool of database connections. */
    public void pool(LongSupplier open) {
        gauge(
                "penstock.database.pool.connections",
                "Open connections of the pool, which serves everything but admission and control.",
                open);
    }

    /** Replaces the used share of each budget. */
    void budgets(Map<String, Double> usedRatio) {
        budgetRatios = Map.copyOf(usedRatio);
        MultiGauge gauge = budgets;
        if (gauge == null) {
            return;
        }
        List<MultiGauge.Row<?>> rows =
                usedRatio.entrySet().stream()
                        .<MultiGauge.Row<?>>map(
                                entry ->
                                        MultiGauge.Row.of(
                                                Tags.of("budget", entry.getKey()),
                                                entry.getValue()))
                        .toList();
        gauge.register(rows, true);
    }

    /** All meters in Prometheus's text format. */
    String scrape() {
        return exposition.scrape();
    }

    @Override
    public void decided(String decision, String server, long elapsedNanos) {
        of(server).decisions.of(decision).increment();
        call.record(elapsedNanos);
    }

    @Override
    public void refused(RefusalCode code, @Nullable Subject subject, UUID id) {
        of(subject == null ? NO_SERVER : subject.server()).decisions.of(code.label()).increment();
    }

    @Override
    public void rejected(int status, UUID id) {
        rejections.of(Integer.toString(status)).increment();
    }

    @Override
    public void wouldRefuse(String budget) {
        shadowRefusals.of(budget).increment();
    }

    @Override
    public void raised(String budget, int percent) {
        alerts.of(budget).increment();
    }

    @Override
    public void warned(String budget) {
        warnings.of(budget).increment();
    }

    @Override
    public void admissionTook(long elapsedNanos) {
        admission.record(elapsedNanos);
    }

    @Override
    public void upstreamTook(String server, long elapsedNanos) {
        of(server).upstream.record(elapsedNanos);
    }

    private ServerMeters of(String server) {
        return servers.getOrDefault(server, noServer);
    }

    @Override
    public void batch(int lane, int calls, long roundNanos, long lockWaitMicros) {
        batch.record(calls);
        round.record(roundNanos);
        lockWait.record(lockWaitMicros * 1_000);
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
        doorRefusals.of(reason).increment();
    }

    @Override
    public void timedOut(String reason) {
        doorTimeouts.of(reason).increment();
    }

    @Override
    public void close() {
        exposition.close();
    }

    /** What is counted for one server. */
    private static final class ServerMeters {
        private static final String ADMITTED = "admitted";
        private static final Set<String> DECISIONS = decisions();

        private final Histogram upstream = Histogram.ofTimes();
        private final LabelledCounters decisions;

        ServerMeters(Exposition exposition, String name) {
            decisions =
                    new LabelledCounters(
                            exposition,
                            new LabelledCounters.Name(
                                    "penstock.calls",
                                    "Calls, by what was decided.",
                                    "decision",
                                    Tags.of("server", name)),
                            DECISIONS);
            decisions.of(ADMITTED);
        }

        private static Set<String> decisions() {
            Set<String> words = new HashSet<>();
            words.add(ADMITTED);
            for (RefusalCode code : RefusalCode.values()) {
                words.add(code.label());
            }
            return Set.copyOf(words);
        }
    }
}

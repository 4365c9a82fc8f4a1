package io.penstock.gateway.admin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The registry behind {@code /metrics}, made when it is asked for the first time, because that
 * takes longer than the rest of a replica's start.
 *
 * <p>It is this object's own, not the library's global one: two replicas in one process do not
 * share it.
 *
 * <p><b>Threads.</b> Safe for concurrent use; the monitor guards all fields.
 */
final class Exposition implements AutoCloseable {
    private final List<Consumer<MeterRegistry>> meters = new ArrayList<>();
    private final List<Collector> histograms = new ArrayList<>();
    private @Nullable PrometheusMeterRegistry registry;
    private @Nullable JvmGcMetrics collections;

    /** Adds meters that are read when they are asked for. */
    synchronized void add(Consumer<MeterRegistry> binder) {
        meters.add(binder);
        if (registry != null) {
            binder.accept(registry);
        }
    }

    /** Adds a histogram without labels. */
    void histogram(String name, String help, Histogram histogram) {
        collector(name, help, () -> List.of(histogram.read(Labels.EMPTY)));
    }

    /** Adds a histogram with one label. */
    void histogram(String name, String help, String label, Map<String, Histogram> byValue) {
        collector(
                name,
                help,
                () -> {
                    List<HistogramDataPointSnapshot> points = new ArrayList<>();
                    byValue.forEach(
                            (value, histogram) ->
                                    points.add(histogram.read(Labels.of(label, value))));
                    return points;
                });
    }

    /** The data of a histogram as it is now. */
    @FunctionalInterface
    private interface Points {
        List<HistogramDataPointSnapshot> read();
    }

    private synchronized void collector(String name, String help, Points points) {
        Collector collector =
                () -> {
                    HistogramSnapshot.Builder snapshot =
                            HistogramSnapshot.builder().name(name).help(help);
                    points.read().forEach(snapshot::dataPoint);
                    return snapshot.build();
                };
        histograms.add(collector);
        if (registry != null) {
            registry.getPrometheusRegistry().register(collector);
        }
    }

    /** Everything in Prometheus's text format. */
    synchronized String scrape() {
        PrometheusMeterRegistry current = registry;
        if (current == null) {
            current = create();
            registry = current;
        }
        return current.scrape();
    }

    private PrometheusMeterRegistry create() {
        PrometheusMeterRegistry created = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        JvmGcMetrics gc = new JvmGcMetrics();
        collections = gc;
        gc.bindTo(created);
        new JvmMemoryMetrics().bindTo(created);
        new JvmThreadMetrics().bindTo(created);
        new ProcessorMetrics().bindTo(created);
        new FileDescriptorMetrics().bindTo(created);
        new UptimeMetrics().bindTo(created);
        meters.forEach(binder -> binder.accept(created));
        histograms.forEach(created.getPrometheusRegistry()::register);
        return created;
    }

    @Override
    public synchronized void close() {
        if (collections != null) {
            collections.close();
        }
        if (registry != null) {
            registry.close();
        }
    }
}

package io.penstock.gateway.admin;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.LongStream;

/** Histograms of time with the same buckets everywhere, so that they can be set side by side. */
final class Times {
    /** In microseconds: dense where our promises are, up to the longest usual timeout. */
    private static final long[] BUCKETS = {
        250,
        500,
        1_000,
        2_000,
        4_000,
        6_000,
        10_000,
        25_000,
        50_000,
        100_000,
        250_000,
        500_000,
        1_000_000,
        2_500_000,
        5_000_000,
        10_000_000,
        30_000_000,
        60_000_000
    };

    private Times() {}

    static Timer.Builder builder(String name, String description) {
        return Timer.builder(name)
                .description(description)
                .serviceLevelObjectives(
                        LongStream.of(BUCKETS)
                                .mapToObj(micros -> Duration.ofNanos(micros * 1_000))
                                .toArray(Duration[]::new));
    }
}

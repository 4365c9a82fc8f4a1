package io.penstock.cluster.admission;

import java.time.Duration;

/**
 * The bounds of admission.
 *
 * @param deadline from a call's arrival to its answer
 * @param queue calls that may wait; one more is refused as overloaded
 * @param lanes database connections at most, 1 to 4
 */
public record LanesConfig(Duration deadline, int queue, int lanes) {
    /** What applies where nothing else is configured. */
    public static final LanesConfig DEFAULT = new LanesConfig(Duration.ofMillis(250), 10_000, 4);

    public LanesConfig {
        if (deadline.compareTo(Duration.ofMillis(100)) < 0
                || deadline.compareTo(Duration.ofSeconds(10)) > 0) {
            throw new IllegalArgumentException("deadline must be 100ms to 10s, is " + deadline);
        }
        if (queue < 1 || queue > 1_000_000) {
            throw new IllegalArgumentException("queue must be 1 to 1000000, is " + queue);
        }
        if (lanes < 1 || lanes > 4) {
            throw new IllegalArgumentException("lanes must be 1 to 4, is " + lanes);
        }
    }
}

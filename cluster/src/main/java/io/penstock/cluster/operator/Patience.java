package io.penstock.cluster.operator;

import java.time.Duration;

/**
 * How long an order waits.
 *
 * @param atMost for being recorded and confirmed
 * @param untilRecorded goes on trying to record the order for as long as it takes; the wait for the
 *     confirmation begins then
 */
public record Patience(Duration atMost, boolean untilRecorded) {
    /** Where nothing else is said. */
    public static final Patience USUAL = new Patience(Duration.ofSeconds(10), false);

    public Patience {
        if (atMost.isNegative() || atMost.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("the wait must be 0 to 24h, is " + atMost);
        }
    }
}

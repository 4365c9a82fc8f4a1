package io.penstock.cluster.admission;

import io.penstock.cluster.alert.Crossing;

/**
 * Hears what admission does, for metrics.
 *
 * <p><b>Threads.</b> Called by callers and lanes at once; must not block.
 */
public interface AdmissionListener {
    /** Hears nothing. */
    AdmissionListener NONE = new AdmissionListener() {};

    /** A call has its verdict, that long after it asked. */
    default void decided(Verdict verdict, long waitedNanos) {}

    /** A batch was answered. */
    default void batch(int lane, int calls, long roundNanos, long lockWaitMicros) {}

    /** How many calls wait now, and how many lanes are at work. */
    default void waiting(int calls, int lanes) {}

    /** A batch took a counter past a share of its limit that people want to hear of. */
    default void crossed(Crossing crossing) {}

    /** A lane got a new connection, or lost it. */
    default void connection(int lane, boolean up) {}
}

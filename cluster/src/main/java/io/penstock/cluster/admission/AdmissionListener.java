package io.penstock.cluster.admission;

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

    /** A lane got a new connection, or lost it. */
    default void connection(int lane, boolean up) {}
}

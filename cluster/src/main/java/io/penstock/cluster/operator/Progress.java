package io.penstock.cluster.operator;

/**
 * Told what happens to an order while it happens, so that a terminal can show each line at once.
 *
 * <p><b>Threads.</b> Called by the thread that gave the order.
 */
public interface Progress {
    /** Listens to nothing. */
    Progress NONE = new Progress() {};

    /** The order is not recorded yet; it is tried again. Told once for each new reason. */
    default void retrying(String reason) {}

    /** The cluster has the order. */
    default void recorded(long epoch) {}

    /** A replica is confirmed, or its counts of open calls fell to nothing. */
    default void answered(ReplicaAnswer answer) {}

    /** Every replica is closed; calls that may finish are still open. */
    default void closed(int open) {}
}

package io.penstock.gateway.admin;

import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.StopOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What this replica knows of itself.
 *
 * <p><b>Threads.</b> Safe for concurrent use; never blocks.
 */
public interface ReplicaState {

    String name();

    String version();

    /** Whether it answers calls, be it with refusals: booted and not draining. */
    boolean ready();

    boolean draining();

    /** Why no call can be admitted now, for people; null when calls can be. */
    @Nullable String whyClosed();

    /** The control state that calls are judged by. */
    Snapshot snapshot();

    /** What is left of the lease in nanoseconds; 0 and below when it is over. */
    long leaseLeftNanos();

    /** Calls and streams under way. */
    int openCalls();

    /** Stops that hold here and that the cluster is not known to have. */
    List<StopOrder> latched();
}

package io.penstock.gateway.config;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a replica follows the control state.
 *
 * @param lease a replica that cannot confirm the control state for so long refuses everything
 * @param leaseGiven whether the file says so; otherwise the cluster's own value holds
 * @param poll between two looks at the control state, at most a quarter of the lease
 * @param latchFile where a stop given through the admin API is kept over restarts until it is
 *     recorded; null keeps it in memory only
 * @param streamGrace an open stream waits so long for a lapsed lease to return before it is cut
 */
public record ControlConfig(
        Duration lease,
        boolean leaseGiven,
        Duration poll,
        @Nullable Path latchFile,
        Duration streamGrace) {}

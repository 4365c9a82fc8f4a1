package io.penstock.cluster.control;

import java.util.UUID;

/**
 * An operator's order to refuse matching calls.
 *
 * @param epoch the control epoch that the order raised; grows in commit order
 * @param drain open calls may finish; otherwise they are cut
 * @param showReason the reason may be told to the agents that are refused
 */
public record Stop(
        UUID id,
        Scope scope,
        String reason,
        String actor,
        long epoch,
        boolean drain,
        boolean showReason) {}

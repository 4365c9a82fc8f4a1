package io.penstock.cluster.operator;

import java.util.List;
import java.util.UUID;

/**
 * What came of lifting stops.
 *
 * @param epoch what replicas have to acknowledge; 0 if it was not recorded
 * @param lifted those that were lifted now
 * @param unknown ids that no stop has; then none was lifted
 * @param remaining stops that still hold
 * @param replicas one for each replica that was registered
 * @param message the result in a sentence
 */
public record ResumeReport(
        Result result,
        long epoch,
        List<UUID> lifted,
        List<UUID> unknown,
        List<ActiveStop> remaining,
        List<ReplicaAnswer> replicas,
        String message) {
    public ResumeReport {
        lifted = List.copyOf(lifted);
        unknown = List.copyOf(unknown);
        remaining = List.copyOf(remaining);
        replicas = List.copyOf(replicas);
    }
}

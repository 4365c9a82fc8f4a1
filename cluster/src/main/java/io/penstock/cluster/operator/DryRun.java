package io.penstock.cluster.operator;

import io.penstock.cluster.control.StopOrder;
import java.util.List;

/**
 * What a stop would meet if it were given now.
 *
 * @param order what was asked
 * @param replicas those that would have to confirm
 * @param holding stops that hold already
 */
public record DryRun(StopOrder order, List<ReplicaStatus> replicas, List<ActiveStop> holding) {
    public DryRun {
        replicas = List.copyOf(replicas);
        holding = List.copyOf(holding);
    }
}

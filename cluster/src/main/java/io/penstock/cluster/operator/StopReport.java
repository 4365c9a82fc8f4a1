package io.penstock.cluster.operator;

import io.penstock.cluster.control.StopOrder;
import java.time.Duration;
import java.util.List;

/**
 * What came of an order to stop.
 *
 * @param epoch the control epoch that it raised; 0 if it was not recorded
 * @param recordedAfter from the order to its commit
 * @param replicas one for each replica that was registered
 * @param message the result in a sentence
 */
public record StopReport(
        Result result,
        StopOrder order,
        long epoch,
        Duration recordedAfter,
        List<ReplicaAnswer> replicas,
        String message) {
    public StopReport {
        replicas = List.copyOf(replicas);
    }
}

package io.penstock.gateway.admin;

import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.StopReport;

/**
 * Stops calls. Lifting a stop is not here on purpose: it needs the operator's database credential,
 * which no gateway has.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public interface StopGiver {

    /**
     * Lets the order hold on this replica at once, whatever the database does, and has it recorded
     * in the cluster as soon as that is possible.
     *
     * @return whether it would outlive a restart of this replica before it is recorded
     */
    boolean latch(StopOrder order);

    /**
     * Records the order and waits until every replica is confirmed, or the patience ends. Repeating
     * an order is harmless.
     *
     * @param progress told what happens meanwhile
     */
    StopReport confirm(StopOrder order, Patience patience, Progress progress);
}

package io.penstock.gateway;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Blocks;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.StopReport;
import io.penstock.cluster.operator.StopSwitch;
import io.penstock.gateway.admin.BlockGiver;
import io.penstock.gateway.admin.StopGiver;
import java.time.Instant;

/** Orders that come through this replica's admin API, given with the gateway's own rights. */
final class ClusterOrders implements StopGiver, BlockGiver {
    private final Cluster cluster;
    private final StopSwitch stops;

    ClusterOrders(Cluster cluster, StopSwitch stops) {
        this.cluster = cluster;
        this.stops = stops;
    }

    @Override
    public boolean latch(StopOrder order) {
        return cluster.bus().latch(order);
    }

    @Override
    public StopReport confirm(StopOrder order, Patience patience, Progress progress) {
        return stops.stop(order, patience, progress);
    }

    @Override
    public Instant block(BlockGiver.Order order) {
        return cluster.block(
                new Blocks.Agent(order.tenant(), order.agent()),
                order.length(),
                new Blocks.Order(order.reason(), order.actor()));
    }
}

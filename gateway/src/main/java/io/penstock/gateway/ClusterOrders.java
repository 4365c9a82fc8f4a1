package io.penstock.gateway;

import io.penstock.cluster.control.ControlBus;
import io.penstock.cluster.control.StopOrder;
import io.penstock.cluster.operator.Blocks;
import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.StopReport;
import io.penstock.cluster.operator.StopSwitch;
import io.penstock.gateway.admin.BlockGiver;
import io.penstock.gateway.admin.StopGiver;
import java.sql.SQLException;
import java.time.Instant;

/** Orders that come through this replica's admin API, given with the gateway's own rights. */
final class ClusterOrders implements StopGiver, BlockGiver {
    private final ControlBus bus;
    private final StopSwitch stops;
    private final Blocks blocks;

    ClusterOrders(ControlBus bus, StopSwitch stops, Blocks blocks) {
        this.bus = bus;
        this.stops = stops;
        this.blocks = blocks;
    }

    @Override
    public boolean latch(StopOrder order) {
        return bus.latch(order);
    }

    @Override
    public StopReport confirm(StopOrder order, Patience patience) {
        return stops.stop(order, patience, Progress.NONE);
    }

    @Override
    public Instant block(BlockGiver.Order order) {
        try {
            return blocks.block(
                    new Blocks.Agent(order.tenant(), order.agent()),
                    order.length(),
                    new Blocks.Order(order.reason(), order.actor()));
        } catch (SQLException e) {
            throw new OrderFailedException("the block was not recorded: " + e.getMessage(), e);
        }
    }

    /** The database did not take an order, or it is not known whether it did. */
    static final class OrderFailedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OrderFailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

package io.penstock.gateway;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.StopOrder;
import io.penstock.gateway.admin.ReplicaState;
import io.penstock.gateway.call.OpenCallRegistry;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the admin plane shows of this replica.
 *
 * @param started whether the control bus runs yet
 */
record OwnState(
        String name,
        String version,
        Cluster cluster,
        OpenCallRegistry registry,
        LongSupplier ticker,
        BooleanSupplier isReady,
        BooleanSupplier isDraining,
        BooleanSupplier started,
        Supplier<@Nullable String> reason)
        implements ReplicaState {

    @Override
    public boolean ready() {
        return isReady.getAsBoolean();
    }

    @Override
    public boolean draining() {
        return isDraining.getAsBoolean();
    }

    @Override
    public @Nullable String whyClosed() {
        return reason.get();
    }

    @Override
    public Snapshot snapshot() {
        return cluster.view().current();
    }

    @Override
    public long leaseLeftNanos() {
        return snapshot().trustedUntilNanos() - ticker.getAsLong();
    }

    @Override
    public int openCalls() {
        return registry.open();
    }

    @Override
    public List<StopOrder> latched() {
        return started.getAsBoolean() ? cluster.bus().latched() : List.of();
    }
}

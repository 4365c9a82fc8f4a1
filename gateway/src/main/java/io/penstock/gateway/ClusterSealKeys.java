package io.penstock.gateway;

import io.penstock.cluster.Cluster;
import io.penstock.cluster.store.SealKeyRing;
import io.penstock.gateway.mcp.SealKey;
import io.penstock.gateway.mcp.SealKeys;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The cluster's sealing keys, in the form that sessions are sealed with. */
final class ClusterSealKeys implements SealKeys {
    private final Cluster cluster;
    private final LongSupplier ticker;

    ClusterSealKeys(Cluster cluster, LongSupplier ticker) {
        this.cluster = cluster;
        this.ticker = ticker;
    }

    @Override
    public @Nullable SealKey current() {
        SealKeyRing ring = cluster.sealKeys();
        return ring == null ? null : usable(ring.sealing(ticker.getAsLong()));
    }

    @Override
    public @Nullable SealKey find(int id) {
        SealKeyRing ring = cluster.sealKeys();
        return ring == null ? null : usable(ring.find(id));
    }

    private static @Nullable SealKey usable(SealKeyRing.@Nullable Key key) {
        return key == null ? null : SealKey.of(key.id(), key.secret());
    }
}

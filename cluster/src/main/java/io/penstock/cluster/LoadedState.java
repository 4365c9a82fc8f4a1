package io.penstock.cluster;

import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.StateLoader;
import io.penstock.cluster.store.PostgresStateLoader;
import io.penstock.cluster.store.SealKeyRing;
import io.penstock.cluster.store.SealKeyStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Loads keys and rules for the control bus, and the sealing keys along with the agents' keys: both
 * change under the same version.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class LoadedState implements StateLoader {
    private final PostgresStateLoader loader = new PostgresStateLoader();
    private final LongSupplier ticker;
    private volatile @Nullable SealKeyRing sealKeys;

    LoadedState(LongSupplier ticker) {
        this.ticker = ticker;
    }

    /** The sealing keys that were read last, or null before the first time. */
    @Nullable SealKeyRing sealKeys() {
        return sealKeys;
    }

    @Override
    public KeyRing keys(Connection connection) throws SQLException {
        sealKeys = SealKeyStore.read(connection, ticker.getAsLong());
        return loader.keys(connection);
    }

    @Override
    public Rules rules(Connection connection, long revision) throws SQLException {
        return loader.rules(connection, revision);
    }
}

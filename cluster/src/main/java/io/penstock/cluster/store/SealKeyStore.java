package io.penstock.cluster.store;

import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that seal session ids, shared by all replicas; rotated by an operator. */
public final class SealKeyStore {
    private static final String READ = "select id, secret, age_us from penstock.seal_keys_v1()";
    private static final String ROTATE = "select penstock.rotate_seal_keys_v1(?)";

    private SealKeyStore() {}

    /** The valid keys now, for a gateway. Read them again when the keys' version changes. */
    public static SealKeyRing read(Connection c, long nowNanos) throws SQLException {
        List<SealKeyRing.Key> keys = new ArrayList<>();
        try (PreparedStatement s = c.prepareStatement(READ);
                ResultSet row = s.executeQuery()) {
            while (row.next()) {
                keys.add(
                        new SealKeyRing.Key(
                                row.getInt("id"),
                                row.getBytes("secret"),
                                nowNanos - row.getLong("age_us") * 1_000));
            }
        }
        return new SealKeyRing(keys);
    }

    /**
     * Makes a new key; sessions that were sealed before the last rotation are over.
     *
     * @return the epoch from which on replicas know it
     */
    public static long rotate(Connection c, @Nullable String actor) throws SQLException {
        long epoch;
        try (PreparedStatement s = c.prepareStatement(ROTATE)) {
            s.setString(1, actor);
            try (ResultSet row = s.executeQuery()) {
                row.next();
                epoch = row.getLong(1);
            }
            Transactions.checkCommitted(s.getWarnings(), c);
        }
        Hint.send(c, epoch);
        return epoch;
    }
}

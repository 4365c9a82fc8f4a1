package io.penstock.cluster.store;

import io.penstock.cluster.control.AgentKey;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.StateLoader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads keys and revisions with the rights of a gateway. */
public final class PostgresStateLoader implements StateLoader {
    private static final String KEYS =
            """
            select id, sha256, tenant, agent, false as revoked from penstock.valid_keys
            union all
            select id, sha256, tenant, agent, true from penstock.revoked_keys\
            """;
    private static final String RULES =
            "select document from penstock.revisions where revision = ?";

    @Override
    public KeyRing keys(Connection connection) throws SQLException {
        List<AgentKey> keys = new ArrayList<>();
        List<AgentKey> revoked = new ArrayList<>();
        try (PreparedStatement s = connection.prepareStatement(KEYS);
                ResultSet row = s.executeQuery()) {
            while (row.next()) {
                AgentKey key =
                        new AgentKey(
                                row.getString("id"),
                                row.getString("sha256"),
                                row.getString("tenant"),
                                row.getString("agent"));
                (row.getBoolean("revoked") ? revoked : keys).add(key);
            }
        }
        return new KeyRing(keys, revoked);
    }

    @Override
    public Rules rules(Connection connection, long revision) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(RULES)) {
            s.setLong(1, revision);
            try (ResultSet row = s.executeQuery()) {
                if (!row.next()) {
                    throw new StoreException("there is no revision " + revision);
                }
                return RulesJson.decode(revision, row.getString("document"));
            }
        }
    }
}

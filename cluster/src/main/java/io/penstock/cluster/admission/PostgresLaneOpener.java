package io.penstock.cluster.admission;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;

/**
 * Opens lanes of one incarnation in Postgres.
 *
 * @param connections where a lane's connection comes from: direct, no pool
 * @param check asked of each before its first use
 */
public record PostgresLaneOpener(
        ConnectionSource connections, ConnectionCheck check, UUID incarnation)
        implements LaneOpener {

    /** Makes connections with a lane's limits. */
    public interface ConnectionSource {

        /**
         * @throws SQLException if there is none to be had now
         */
        Connection open() throws SQLException;
    }

    @Override
    public LaneLedger open(int lane) throws SQLException {
        Connection connection = connections.open();
        try {
            check.check(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        return PostgresLedger.open(connection, incarnation, lane);
    }
}

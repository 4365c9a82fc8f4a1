package io.penstock.architecture.bad.cluster;

import java.sql.Connection;
import java.sql.SQLException;

/** A transaction outside the one class that owns them. */
final class FreeCommit {
    void end(Connection connection) throws SQLException {
        connection.commit();
    }
}

package io.penstock.cluster.admission;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Asked of every new lane connection before its first use: whether it leads to the same server, on
 * the same timeline, as the lease does.
 */
public interface ConnectionCheck {

    /**
     * @throws SQLException if the connection must not be used
     */
    void check(Connection connection) throws SQLException;
}

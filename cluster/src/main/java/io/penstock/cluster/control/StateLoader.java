package io.penstock.cluster.control;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Reads the parts of the control state that change seldom and are kept in tables of their own.
 *
 * <p><b>Threads.</b> Called by several threads, each with its own connection, in autocommit mode.
 */
public interface StateLoader {

    /** All API keys that are valid now. */
    KeyRing keys(Connection connection) throws SQLException;

    /** The rules of a revision, which never change once it exists; number 1 or higher. */
    Rules rules(Connection connection, long revision) throws SQLException;
}

package io.penstock.cluster.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import org.jspecify.annotations.Nullable;

/**
 * Begins, commits and rolls back: the only class that does.
 *
 * <p><b>Guarantee.</b> When {@link #run} returns, the work is committed. When it throws an error
 * that {@link SqlStates} does not class as unknown, the work is not. A commit that comes back with
 * a warning, or not at all, is unknown: a wait for the standby that was cut short reports success
 * with a warning.
 *
 * <p><b>Failure.</b> After an unknown outcome the connection is closed.
 */
public final class Transactions {

    /** What is done inside; throws to roll back. */
    @FunctionalInterface
    public interface Work<T extends @Nullable Object> {
        T run(Connection connection) throws SQLException;
    }

    private Transactions() {}

    /** Runs the work in one transaction on a connection that is in autocommit mode. */
    public static <T extends @Nullable Object> T run(Connection connection, Work<T> work)
            throws SQLException {
        if (!connection.getAutoCommit()) {
            throw new IllegalStateException("the connection has a transaction already");
        }
        connection.setAutoCommit(false);
        T result;
        try {
            result = work.run(connection);
        } catch (SQLException | RuntimeException | Error e) {
            rollback(connection, e);
            throw e;
        }
        commit(connection);
        connection.setAutoCommit(true);
        return result;
    }

    /**
     * Runs a statement that is its own transaction, and holds it to the same rule: a warning that
     * came with its commit means that its outcome is unknown.
     */
    public static void checkCommitted(@Nullable SQLWarning warning, Connection connection)
            throws SQLException {
        for (SQLWarning w = warning; w != null; w = w.getNextWarning()) {
            if (doubts(w)) {
                throw unknown(connection, w);
            }
        }
    }

    private static void commit(Connection connection) throws SQLException {
        try {
            connection.clearWarnings();
            connection.commit();
        } catch (SQLException e) {
            if (SqlStates.classify(e) == SqlStates.Failure.UNKNOWN) {
                throw unknown(connection, e);
            }
            rollback(connection, e);
            throw e;
        }
        checkCommitted(connection.getWarnings(), connection);
    }

    /**
     * Notices of class 00 tell, they do not warn. Everything else on a commit is taken seriously:
     * the server has no state of its own for a wait that was cut short.
     */
    private static boolean doubts(SQLWarning warning) {
        String state = warning.getSQLState();
        return state == null || !state.startsWith("00");
    }

    private static SQLException unknown(Connection connection, SQLException cause) {
        SQLException unknown =
                new SQLException(
                        "the outcome of the commit is not known: " + cause.getMessage(),
                        SqlStates.OUTCOME_UNKNOWN,
                        cause);
        try {
            connection.close();
        } catch (SQLException e) {
            unknown.addSuppressed(e);
        }
        return unknown;
    }

    private static void rollback(Connection connection, Throwable because) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            because.addSuppressed(e);
            try {
                connection.close();
            } catch (SQLException closing) {
                because.addSuppressed(closing);
            }
        }
    }
}

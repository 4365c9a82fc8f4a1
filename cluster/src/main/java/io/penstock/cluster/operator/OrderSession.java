package io.penstock.cluster.operator;

import static java.lang.System.Logger.Level.DEBUG;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One order's connection, opened again when it breaks, and its clock.
 *
 * <p><b>Guarantee.</b> After a step has succeeded, later ones run on the same server or on one that
 * was promoted after it, never on one that it left behind: an old primary that still answers knows
 * neither the order nor the replicas that have come since, and nobody would wait for them.
 *
 * <p><b>Threads.</b> Confined to one thread.
 */
final class OrderSession implements AutoCloseable {
    /**
     * A statement that takes longer is given up; whether it took effect is found out afterwards.
     */
    private static final int STATEMENT_MILLIS = 3000;

    private static final String SERVER =
            "select s.system_identifier, pg_catalog.left(pg_catalog.pg_walfile_name("
                    + "pg_catalog.pg_current_wal_lsn()), 8) from pg_catalog.pg_control_system() s";

    /**
     * What an order needs of a server process that has just begun, and that would otherwise be
     * loaded within the order: the procedural language, and what is known of the tables. Reads
     * nothing and takes no lock that an order would not take.
     */
    private static final String WARM_UP =
            "do $$ begin end $$; select 1 from penstock.stops s, penstock.cluster c,"
                    + " penstock.journal_entries j, penstock.registered r where false";

    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    private static final System.Logger LOG = System.getLogger(OrderSession.class.getName());

    private final Connector connector;
    private final LongSupplier ticker;
    private @Nullable Connection connection;
    private @Nullable Server present;
    private @Nullable Server reached;
    private String told = "";

    OrderSession(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    /** Which server, and on which timeline of its history: eight digits that grow. */
    private record Server(long systemIdentifier, String timeline) {
        boolean continues(Server before) {
            return systemIdentifier == before.systemIdentifier
                    && timeline.compareTo(before.timeline) >= 0;
        }
    }

    /** One statement or several, harmless to repeat. */
    @FunctionalInterface
    interface Step<T> {
        T run(Connection connection) throws SQLException;
    }

    /** The order cannot be carried out, or not in time. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failed(String message, SQLException cause) {
            super(message, cause);
        }
    }

    long now() {
        return ticker.getAsLong();
    }

    Connection connection() throws SQLException {
        Connection c = connection;
        if (c == null) {
            c = connector.open(Purpose.OPERATOR);
            connection = c;
            c.setNetworkTimeout(Runnable::run, STATEMENT_MILLIS);
            present = server(c);
            warmUp(c);
        }
        Server before = reached;
        Server now = present;
        if (before != null && (now == null || !now.continues(before))) {
            drop();
            throw new SQLException(
                    "this connection leads to " + now + ", the order went to " + before, "08004");
        }
        return c;
    }

    /** Only to be fast: a server on which it does not work may take the order all the same. */
    private static void warmUp(Connection c) {
        try (Statement s = c.createStatement()) {
            s.execute(WARM_UP);
        } catch (SQLException e) {
            LOG.log(DEBUG, "event=warm-up-failed reason=\"{0}\"", e.getMessage());
        }
    }

    private static Server server(Connection c) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(SERVER);
                ResultSet r = s.executeQuery()) {
            r.next();
            return new Server(r.getLong(1), r.getString(2));
        }
    }

    /**
     * Repeats a step until its outcome is known, or until the deadline has passed.
     *
     * @throws Failed if it was refused, or did not succeed in time
     */
    <T> T untilKnown(Step<T> step, @Nullable Long deadlineNanos, Progress progress) {
        while (true) {
            try {
                T result = step.run(connection());
                reached = present;
                return result;
            } catch (SQLException e) {
                drop();
                if (!worthRepeating(e)) {
                    throw new Failed(reason(e), e);
                }
                if (deadlineNanos != null && now() - deadlineNanos >= 0) {
                    throw new Failed(reason(e), e);
                }
                tell(reason(e), progress);
                pause(RETRY_PAUSE);
            }
        }
    }

    /** Drops the connection; the next step opens another. */
    void drop() {
        Connection c = connection;
        connection = null;
        present = null;
        try {
            if (c != null) {
                c.close();
            }
        } catch (SQLException e) {
            // It was given up for being broken.
            told = "";
        }
    }

    void pause(Duration pause) {
        LockSupport.parkNanos(pause.toNanos());
        if (Thread.currentThread().isInterrupted()) {
            throw new Failed("interrupted", new SQLException("interrupted"));
        }
    }

    private void tell(String reason, Progress progress) {
        if (!reason.equals(told)) {
            told = reason;
            progress.retrying(reason);
        }
    }

    private static boolean worthRepeating(SQLException e) {
        return switch (SqlStates.classify(e)) {
            case UNKNOWN, UNREACHABLE, RETRY, READ_ONLY -> true;
            case DENIED, DUPLICATE, MISSING, REFUSED -> false;
        };
    }

    static String reason(SQLException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    @Override
    public void close() {
        drop();
    }
}

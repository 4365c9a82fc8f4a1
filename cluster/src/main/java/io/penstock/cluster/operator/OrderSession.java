package io.penstock.cluster.operator;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One order's connection, opened again when it breaks, and its clock.
 *
 * <p><b>Threads.</b> Confined to one thread.
 */
final class OrderSession implements AutoCloseable {
    /**
     * A statement that takes longer is given up; whether it took effect is found out afterwards.
     */
    private static final int STATEMENT_MILLIS = 3000;

    private static final Duration RETRY_PAUSE = Duration.ofMillis(100);

    private final Connector connector;
    private final LongSupplier ticker;
    private @Nullable Connection connection;
    private String told = "";

    OrderSession(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
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
            c.setNetworkTimeout(Runnable::run, STATEMENT_MILLIS);
            connection = c;
        }
        return c;
    }

    /**
     * Repeats a step until its outcome is known, or until the deadline has passed.
     *
     * @throws Failed if it was refused, or did not succeed in time
     */
    <T> T untilKnown(Step<T> step, @Nullable Long deadlineNanos, Progress progress) {
        while (true) {
            try {
                return step.run(connection());
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

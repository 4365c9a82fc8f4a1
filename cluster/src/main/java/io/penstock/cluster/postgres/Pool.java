package io.penstock.cluster.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbClientException;
import io.helidon.dbclient.jdbc.JdbcClientBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A few connections for the admin plane's queries, behind a semaphore: with a thread for each
 * request there is no other bound on how many wait for a connection.
 *
 * <p><b>Failure.</b> {@link PoolException} when no connection is free within a second, when the
 * database is away, or when the query fails.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@link #close} is idempotent.
 *
 * <p>Single statements only. The DB client's transactions stay active after a statement in them has
 * failed and its connection is gone; what needs a transaction uses {@link Transactions} on a
 * connection of its own.
 */
public final class Pool implements AutoCloseable {
    private static final long WAIT_MILLIS_MAX = 1_000;

    private final HikariDataSource source;
    private final DbClient client;
    private final Semaphore free;

    /** One query, carried out and read completely before it returns. */
    @FunctionalInterface
    public interface Query<T> {
        T run(DbClient client);
    }

    /** The query was not answered. */
    public static final class PoolException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PoolException(String message, Throwable cause) {
            super(message, cause);
        }

        PoolException(String message) {
            super(message);
        }
    }

    /** Opens the pool; its connections follow in the background, with or without a database. */
    public Pool(Connector connector) {
        HikariConfig settings = new HikariConfig();
        settings.setPoolName("penstock");
        settings.setDataSource(new ConnectorSource(connector, Purpose.POOL));
        settings.setMaximumPoolSize(connector.config().poolSize());
        settings.setConnectionTimeout(WAIT_MILLIS_MAX);
        settings.setValidationTimeout(WAIT_MILLIS_MAX / 2);
        settings.setInitializationFailTimeout(-1);
        source = new HikariDataSource(settings);
        client = JdbcClientBuilder.create().connectionPool(this::connection).build();
        free = new Semaphore(connector.config().poolSize(), true);
    }

    /** One statement on a connection of the pool, read completely before it returns. */
    @FunctionalInterface
    public interface Statement<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Runs a query when a connection is free. */
    public <T> T query(Query<T> query) {
        return whenFree(() -> query.run(client));
    }

    /** The same by plain JDBC, for what the DB client cannot say: arrays. */
    public <T> T statement(Statement<T> statement) {
        return whenFree(
                () -> {
                    try (Connection connection = connection()) {
                        return statement.run(connection);
                    } catch (SQLException e) {
                        throw new DbClientException(String.valueOf(e.getMessage()), e);
                    }
                });
    }

    private <T> T whenFree(Supplier<T> work) {
        try {
            if (!free.tryAcquire(WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                throw new PoolException("every connection of the pool is busy");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PoolException("interrupted while waiting for a connection", e);
        }
        try {
            return work.get();
        } catch (DbClientException e) {
            throw new PoolException("the database did not answer: " + e.getMessage(), e);
        } finally {
            free.release();
        }
    }

    /** Connections that are open now. */
    public int open() {
        return source.getHikariPoolMXBean().getTotalConnections();
    }

    @Override
    public void close() {
        client.close();
        source.close();
    }

    private Connection connection() {
        try {
            return source.getConnection();
        } catch (SQLException e) {
            throw new DbClientException("no connection", e);
        }
    }
}

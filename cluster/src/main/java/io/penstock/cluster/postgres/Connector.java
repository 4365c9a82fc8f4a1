package io.penstock.cluster.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Opens connections with the limits that the protocol rests on.
 *
 * <p><b>Guarantee.</b> A URL cannot loosen them: parameters that this class owns are taken out of
 * it. The limits that only newer servers know are set after connecting, because as a start-up
 * option they are fatal on an older one.
 *
 * <p><b>Failure.</b> A {@link SQLException} from {@link #open} means that no connection is left
 * open. It never carries the password.
 *
 * <p><b>Threads.</b> Immutable; safe for concurrent use.
 */
public final class Connector {
    private static final int CONNECT_TIMEOUT_SECONDS = 2;
    private static final int VERSION_WITH_TRANSACTION_TIMEOUT = 17;

    private static final String LIMITS =
            """
            select pg_catalog.set_config('TimeZone', 'UTC', false),
                   pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),
                   pg_catalog.set_config('idle_in_transaction_session_timeout', ?, false)
            """;
    private static final String TRANSACTION_TIMEOUT =
            "select pg_catalog.set_config('transaction_timeout', ?, false)";
    private static final String CLIENT_CHECK =
            "select pg_catalog.set_config('client_connection_check_interval', '100ms', false)";

    private final DatabaseConfig config;
    private final String url;
    private final Driver driver = new Driver();

    public Connector(DatabaseConfig config) {
        this.config = config;
        url = withoutOwned(config.url());
    }

    public DatabaseConfig config() {
        return config;
    }

    /** Opens a connection in autocommit mode, its time zone UTC. The caller closes it. */
    public Connection open(Purpose purpose) throws SQLException {
        Connection connection = driver.connect(url, properties(purpose));
        if (connection == null) {
            throw new SQLException("not a Postgres URL: " + config.address(), "08001");
        }
        try {
            limit(connection, purpose);
        } catch (SQLException | RuntimeException e) {
            close(connection, e);
            throw e;
        }
        return connection;
    }

    private Properties properties(Purpose purpose) {
        Properties p = new Properties();
        PGProperty.USER.set(p, config.user());
        if (config.password() != null) {
            PGProperty.PASSWORD.set(p, config.password());
        }
        PGProperty.APPLICATION_NAME.set(p, "penstock-" + purpose.label());
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(p, "15");
        PGProperty.CONNECT_TIMEOUT.set(p, CONNECT_TIMEOUT_SECONDS);
        PGProperty.SOCKET_TIMEOUT.set(p, purpose.socketTimeoutSeconds());
        PGProperty.TCP_KEEP_ALIVE.set(p, true);
        PGProperty.HOST_RECHECK_SECONDS.set(p, 1);
        PGProperty.TARGET_SERVER_TYPE.set(p, purpose.primaryOnly() ? "primary" : "any");
        if (purpose.hot()) {
            PGProperty.PREPARE_THRESHOLD.set(p, 1);
        }
        if (purpose == Purpose.LANE) {
            PGProperty.MAX_SEND_BUFFER_SIZE.set(p, WholeMessageSocketFactory.BUFFER_BYTES);
            PGProperty.SOCKET_FACTORY.set(p, WholeMessageSocketFactory.class.getName());
        }
        if (purpose == Purpose.LISTEN) {
            PGProperty.SOCKET_FACTORY.set(p, GlancingSocketFactory.class.getName());
        }
        return p;
    }

    private static void limit(Connection connection, Purpose purpose) throws SQLException {
        set(connection, LIMITS, purpose == Purpose.MIGRATE ? "0" : "5s");
        if (purpose.transactionTimeoutMillis() > 0
                && connection.getMetaData().getDatabaseMajorVersion()
                        >= VERSION_WITH_TRANSACTION_TIMEOUT) {
            set(
                    connection,
                    TRANSACTION_TIMEOUT,
                    Integer.toString(purpose.transactionTimeoutMillis()));
        }
        try (PreparedStatement s = connection.prepareStatement(CLIENT_CHECK)) {
            s.execute();
        } catch (SQLException e) {
            // A server on a platform that cannot watch its clients refuses the value (22023). What
            // is lost is only an early end of a dead client's statement.
            if (!"22023".equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private static void set(Connection connection, String sql, String value) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            s.setString(1, value);
            s.execute();
        }
    }

    private static void close(Connection connection, Exception because) {
        try {
            connection.close();
        } catch (SQLException e) {
            because.addSuppressed(e);
        }
    }

    private static String withoutOwned(String url) {
        int query = url.indexOf('?');
        if (query < 0) {
            return url;
        }
        StringBuilder kept = new StringBuilder(url.substring(0, query));
        char separator = '?';
        for (String parameter : url.substring(query + 1).split("&", -1)) {
            if (!parameter.isEmpty() && !owned(parameter)) {
                kept.append(separator).append(parameter);
                separator = '&';
            }
        }
        return kept.toString();
    }

    private static boolean owned(String parameter) {
        int equals = parameter.indexOf('=');
        String name = equals < 0 ? parameter : parameter.substring(0, equals);
        return switch (name) {
            case "socketTimeout",
                    "connectTimeout",
                    "targetServerType",
                    "hostRecheckSeconds",
                    "tcpKeepAlive",
                    "prepareThreshold",
                    "preferQueryMode",
                    "maxSendBufferSize",
                    "socketFactory",
                    "socketFactoryArg",
                    "queryTimeout",
                    "readOnly",
                    "autosave",
                    "ApplicationName",
                    "assumeMinServerVersion",
                    "user",
                    "password" ->
                    true;
            default -> false;
        };
    }
}

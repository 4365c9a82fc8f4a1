package io.penstock.cluster.schema;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.ConnectorSource;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.PostgresException;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.database.postgresql.PostgreSQLConfigurationExtension;

/**
 * Brings the schema {@code penstock} to the version of this program, and says which version a
 * database has.
 *
 * <p><b>Guarantee.</b> Safe when several processes start together: one migrates under an advisory
 * lock, the others wait and find nothing to do.
 *
 * <p><b>Failure.</b> {@link PostgresException} from {@link #migrate}; the steps that were complete
 * stay, and the next run goes on from there.
 *
 * <p><b>Cost.</b> {@link #state} is one query; only a database that is behind starts Flyway (0.4
 * s).
 */
public final class Migrations {
    /** The version this program was built for: the highest migration on its class path. */
    public static final int LATEST = 7;

    private static final String SCHEMA = "penstock";

    /** Waiting processes ask once a second; the longest migration may take this many seconds. */
    private static final int LOCK_SECONDS_MAX = 600;

    /** Kept, as the logging system forgets a logger that nobody holds, and its level with it. */
    private static final Logger FLYWAY_LOG = Logger.getLogger("org.flywaydb");

    private static final System.Logger LOG = System.getLogger(Migrations.class.getName());

    private static final String VERSION =
            "select version, oldest_program from penstock.schema_version";

    private Migrations() {}

    /** Creates or upgrades the schema, with the credential of its owner. */
    public static SchemaState migrate(DatabaseConfig owner) {
        try {
            SchemaState before = state(owner);
            return switch (before) {
                case SchemaState.Current _, SchemaState.Newer _ -> before;
                case SchemaState.Absent _, SchemaState.Older _ -> {
                    FLYWAY_LOG.setLevel(Level.WARNING);
                    flyway(owner).migrate();
                    SchemaState after = state(owner);
                    LOG.log(
                            System.Logger.Level.INFO,
                            "event=schema-migrated database={0} before={1} after={2}",
                            owner.address(),
                            before,
                            after);
                    yield after;
                }
            };
        } catch (FlywayException | SQLException e) {
            throw new PostgresException(
                    "cannot migrate " + owner.address() + ": " + e.getMessage(), e);
        }
    }

    /** The state of a database's schema, for anybody who may use it. */
    public static SchemaState state(DatabaseConfig config) throws SQLException {
        try (Connection connection = new Connector(config).open(Purpose.EXAMINE)) {
            return state(connection);
        }
    }

    /** The same on a connection that is open. */
    public static SchemaState state(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(VERSION)) {
            if (!row.next()) {
                return new SchemaState.Absent(LATEST);
            }
            return compare(row.getInt("version"), row.getInt("oldest_program"), LATEST);
        } catch (SQLException e) {
            if (SqlStates.classify(e) == SqlStates.Failure.MISSING) {
                return new SchemaState.Absent(LATEST);
            }
            throw e;
        }
    }

    static SchemaState compare(int found, int oldestProgram, int expected) {
        if (found == expected) {
            return new SchemaState.Current(found);
        }
        return found < expected
                ? new SchemaState.Older(found, expected)
                : new SchemaState.Newer(found, expected, oldestProgram <= expected);
    }

    private static Flyway flyway(DatabaseConfig owner) {
        FluentConfiguration configuration =
                Flyway.configure(Migrations.class.getClassLoader())
                        .dataSource(new ConnectorSource(new Connector(owner), Purpose.MIGRATE))
                        .schemas(SCHEMA)
                        .defaultSchema(SCHEMA)
                        .table("schema_history")
                        .locations("classpath:io/penstock/cluster/schema")
                        .lockRetryCount(LOCK_SECONDS_MAX)
                        .validateMigrationNaming(true)
                        .cleanDisabled(true);
        // Otherwise the waiting process holds a transaction open, and an index that is built
        // concurrently waits for it for ever.
        configuration
                .getConfigurationExtension(PostgreSQLConfigurationExtension.class)
                .setTransactionalLock(false);
        return configuration.load();
    }
}

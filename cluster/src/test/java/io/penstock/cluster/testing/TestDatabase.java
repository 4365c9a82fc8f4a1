package io.penstock.cluster.testing;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * One database of a test, gone when the test closes it.
 *
 * @param owner owns the schema, is no superuser
 * @param gateway a login in penstock_gateway
 * @param operator a login in penstock_operator
 * @param superuser the server's superuser on this database
 */
public record TestDatabase(
        TestServer server,
        String name,
        DatabaseConfig owner,
        DatabaseConfig gateway,
        DatabaseConfig operator,
        DatabaseConfig superuser)
        implements AutoCloseable {

    /** A new database with the schema, on the server that this run uses. */
    public static TestDatabase fresh() {
        return SharedServer.server().fresh();
    }

    /** A new database with nothing in it, on the server that this run uses. */
    public static TestDatabase empty() {
        return SharedServer.server().empty();
    }

    public Connection connectAsOwner() throws SQLException {
        return new Connector(owner).open(Purpose.MIGRATE);
    }

    public Connection connectAsGateway() throws SQLException {
        return new Connector(gateway).open(Purpose.POOL);
    }

    public Connection connectAsOperator() throws SQLException {
        return new Connector(operator).open(Purpose.OPERATOR);
    }

    public Connection connectAsSuperuser() throws SQLException {
        return new Connector(superuser).open(Purpose.MIGRATE);
    }

    @Override
    public void close() {
        server.drop(name);
    }
}

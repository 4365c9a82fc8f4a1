package io.penstock.cluster.schema;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Makes logins in the schema's groups, for an embedded database and for tests; elsewhere an
 * administrator does that.
 */
public final class Logins {
    /** What a login may do. */
    public enum Group {
        GATEWAY("penstock_gateway"),
        OPERATOR("penstock_operator");

        private final String role;

        Group(String role) {
            this.role = role;
        }

        /** The name of the group on the server. */
        public String role() {
            return role;
        }
    }

    private Logins() {}

    /** Creates the login or gives it that password, and puts it into the group. */
    public static DatabaseConfig ensure(
            DatabaseConfig superuser, String name, String password, Group group)
            throws SQLException {
        try (Connection connection = new Connector(superuser).open(Purpose.MIGRATE)) {
            // Without the password: the server's log shows a statement that fails.
            create(connection, name);
            execute(connection, "alter role %I password %L", name, password);
            execute(connection, "grant " + group.role() + " to %I", name, "");
        }
        return superuser.as(name, password);
    }

    private static void create(Connection connection, String name) throws SQLException {
        try {
            execute(connection, "create role %I login", name, "");
        } catch (SQLException e) {
            if (SqlStates.classify(e) != SqlStates.Failure.DUPLICATE) {
                throw e;
            }
        }
    }

    /** Lets the server do the quoting. */
    private static void execute(Connection connection, String format, String name, String secret)
            throws SQLException {
        String statement;
        try (PreparedStatement quote = connection.prepareStatement("select format(?, ?, ?)")) {
            quote.setString(1, format);
            quote.setString(2, name);
            quote.setString(3, secret);
            try (ResultSet row = quote.executeQuery()) {
                row.next();
                statement = row.getString(1);
            }
        }
        try (Statement ddl = connection.createStatement()) {
            ddl.execute(statement);
        }
    }
}

package io.penstock.cluster.doctor;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two connections to the database under examination, and how to ask them. */
record Patient(DatabaseConfig config, Connection one, Connection other) implements AutoCloseable {

    static Patient open(DatabaseConfig config) throws SQLException {
        Connector connector = new Connector(config);
        Connection one = connector.open(Purpose.EXAMINE);
        try {
            return new Patient(config, one, connector.open(Purpose.EXAMINE));
        } catch (SQLException e) {
            one.close();
            throw e;
        }
    }

    /** First column of the first row. */
    @Nullable String text(String sql) throws SQLException {
        return text(one, sql);
    }

    static @Nullable String text(Connection connection, String sql) throws SQLException {
        try (Statement s = connection.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    long number(String sql) throws SQLException {
        String text = text(sql);
        return text == null ? 0 : Long.parseLong(text);
    }

    boolean truth(String sql) throws SQLException {
        return "t".equals(text(sql));
    }

    /** First column of all rows. */
    List<String> column(String sql) throws SQLException {
        List<String> values = new ArrayList<>();
        try (Statement s = one.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            while (row.next()) {
                values.add(row.getString(1));
            }
        }
        return values;
    }

    @Override
    public void close() throws SQLException {
        try (one) {
            other.close();
        }
    }
}

package io.penstock.cluster.operator;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The server that answered.
 *
 * @param role primary or standby
 * @param login who asked
 */
public record DatabaseStatus(String version, String role, Durability durability, String login) {
    private static final String ALL =
            """
            select pg_catalog.current_setting('server_version'), pg_catalog.pg_is_in_recovery(),
                   pg_catalog.current_setting('fsync'),
                   pg_catalog.current_setting('synchronous_standby_names'), session_user::text
            """;

    static DatabaseStatus of(Connection connection) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(ALL);
                ResultSet r = s.executeQuery()) {
            r.next();
            Durability durability =
                    !r.getString(3).equals("on")
                            ? Durability.NONE
                            : r.getString(4).isBlank()
                                    ? Durability.CRASH_SAFE
                                    : Durability.FAILOVER_SAFE;
            return new DatabaseStatus(
                    r.getString(1),
                    r.getBoolean(2) ? "standby" : "primary",
                    durability,
                    r.getString(5));
        }
    }
}

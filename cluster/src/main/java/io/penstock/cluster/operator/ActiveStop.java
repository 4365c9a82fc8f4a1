package io.penstock.cluster.operator;

import io.penstock.cluster.control.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A stop that holds.
 *
 * @param givenAt by the database's clock
 */
public record ActiveStop(
        UUID id,
        Scope scope,
        String reason,
        String actor,
        long epoch,
        boolean drain,
        boolean showReason,
        Instant givenAt) {
    private static final String ALL =
            "select id, kind, value, reason, actor, epoch, drain, show_reason, given_at"
                    + " from penstock.stops order by epoch, id";

    static List<ActiveStop> all(Connection connection) throws SQLException {
        List<ActiveStop> stops = new ArrayList<>();
        try (PreparedStatement s = connection.prepareStatement(ALL);
                ResultSet r = s.executeQuery()) {
            while (r.next()) {
                stops.add(
                        new ActiveStop(
                                r.getObject(1, UUID.class),
                                Scope.read(r.getString(2), r.getString(3)),
                                r.getString(4),
                                r.getString(5),
                                r.getLong(6),
                                r.getBoolean(7),
                                r.getBoolean(8),
                                r.getObject(9, OffsetDateTime.class).toInstant()));
            }
        }
        return stops;
    }
}

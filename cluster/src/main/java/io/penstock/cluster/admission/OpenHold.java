package io.penstock.cluster.admission;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Units that a call in flight holds.
 *
 * @param amount units
 * @param slot a concurrency slot, which costs nothing afterwards
 * @param replica who forwards the call, or null where it is forgotten already
 * @param since when it was admitted, by the database's clock
 * @param endsBy when the call is over at the latest
 */
public record OpenHold(
        UUID call,
        @Nullable String budget,
        long amount,
        boolean slot,
        @Nullable String replica,
        Instant since,
        Instant endsBy) {

    private static final String SELECT =
            """
            select call, budget, amount, slot, replica, since, ends_by from penstock.holds
             where coalesce(budget, '') = coalesce(?, budget, '') order by since, call limit ?
            """;

    /**
     * Reads what is held, the oldest first.
     *
     * @param budget of that budget alone, or null for all
     */
    public static List<OpenHold> read(Connection connection, @Nullable String budget, int rowsMax)
            throws SQLException {
        List<OpenHold> holds = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, budget);
            statement.setInt(2, rowsMax);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    holds.add(
                            new OpenHold(
                                    row.getObject(1, UUID.class),
                                    row.getString(2),
                                    row.getLong(3),
                                    row.getBoolean(4),
                                    row.getString(5),
                                    row.getObject(6, OffsetDateTime.class).toInstant(),
                                    row.getObject(7, OffsetDateTime.class).toInstant()));
                }
            }
        }
        return holds;
    }
}

package io.penstock.cluster.operator;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one counter of a budget has used of the window that runs now.
 *
 * @param scope the values that the counter is kept for, as JSON
 * @param shadow counted and reported only
 * @param endsAt of the window, by the database's clock
 */
public record BudgetUse(
        String budget,
        String scope,
        boolean shadow,
        Duration window,
        long used,
        long limit,
        Instant endsAt) {
    /** Longest listing: the fullest counters first. */
    public static final int LISTED_MAX = 1000;

    private static final String ALL =
            "select budget, scope::text, shadow, window_seconds, used, \"limit\", ends_at"
                    + " from penstock.budget_usage where ?::text is null or budget = ?"
                    + " order by used::numeric / greatest(\"limit\", 1) desc, budget, scope::text"
                    + " limit ?";

    /** The counters of one budget, or of all. */
    public static List<BudgetUse> read(Connector connector, @Nullable String budget)
            throws SQLException {
        List<BudgetUse> uses = new ArrayList<>();
        try (Connection connection = connector.open(Purpose.OPERATOR);
                PreparedStatement s = connection.prepareStatement(ALL)) {
            s.setString(1, budget);
            s.setString(2, budget);
            s.setInt(3, LISTED_MAX);
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    uses.add(
                            new BudgetUse(
                                    r.getString(1),
                                    r.getString(2),
                                    r.getBoolean(3),
                                    Duration.ofMillis(Math.round(r.getDouble(4) * 1000)),
                                    r.getLong(5),
                                    r.getLong(6),
                                    r.getObject(7, OffsetDateTime.class).toInstant()));
                }
            }
        }
        return uses;
    }
}

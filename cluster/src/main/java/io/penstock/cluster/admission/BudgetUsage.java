package io.penstock.cluster.admission;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much of a budget is used now, at one value of its scope.
 *
 * @param budget the budget's name
 * @param scope values by dimension; empty for a budget that has one counter for all
 * @param shadow counted only
 * @param used units in the window that is now
 * @param limit the limit it was last judged by
 * @param endsAt when the window ends, by the database's clock
 * @param updatedAt when it was last charged or given back
 */
public record BudgetUsage(
        String budget,
        Map<String, String> scope,
        boolean shadow,
        Duration window,
        long used,
        long limit,
        Instant endsAt,
        Instant updatedAt) {

    private static final String SELECT =
            """
            select u.budget, u.shadow, u.window_us, u.used, u.limit, u.ends_at, u.updated_at,
                   array(select e.key from pg_catalog.jsonb_each_text(u.scope) e order by 1),
                   array(select e.value from pg_catalog.jsonb_each_text(u.scope) e order by e.key)
              from penstock.budget_usage u
             where u.budget = coalesce(?, u.budget)
             order by u.budget, u.used desc, u.key
             limit ?
            """;

    public BudgetUsage {
        scope = Collections.unmodifiableMap(new LinkedHashMap<>(scope));
    }

    /**
     * Reads usage, most used first within each budget.
     *
     * @param budget that budget alone, or null for all
     * @param rowsMax at most so many counters
     */
    public static List<BudgetUsage> read(
            Connection connection, @Nullable String budget, int rowsMax) throws SQLException {
        List<BudgetUsage> usage = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, budget);
            statement.setInt(2, rowsMax);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    usage.add(one(rows));
                }
            }
        }
        return usage;
    }

    private static BudgetUsage one(ResultSet row) throws SQLException {
        String[] names = (String[]) row.getArray(8).getArray();
        String[] values = (String[]) row.getArray(9).getArray();
        Map<String, String> scope = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            scope.put(names[i], values[i]);
        }
        return new BudgetUsage(
                row.getString(1),
                scope,
                row.getBoolean(2),
                Duration.ofNanos(Math.multiplyExact(row.getLong(3), 1_000L)),
                row.getLong(4),
                row.getLong(5),
                row.getTimestamp(6).toInstant(),
                row.getTimestamp(7).toInstant());
    }
}

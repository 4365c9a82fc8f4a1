package io.penstock.cluster.admission;

import io.penstock.budget.Window;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
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
 * @param unit what is counted
 * @param window the span, in words
 * @param used units in the window that is now, held ones included
 * @param held units of it that calls in flight hold
 * @param limit the limit it was last judged by; a rate's burst
 * @param endsAt when nothing of it counts any more, by the database's clock; null = never
 * @param updatedAt when it was last charged
 */
public record BudgetUsage(
        String budget,
        String unit,
        Map<String, String> scope,
        boolean shadow,
        String window,
        long used,
        long held,
        long limit,
        @Nullable Instant endsAt,
        Instant updatedAt) {

    private static final String SELECT =
            """
            select u.budget, u.unit, u.shadow, u.window_spec, u.used, u.held, u.limit, u.ends_at, u.updated_at,
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
        String[] names = (String[]) row.getArray(10).getArray();
        String[] values = (String[]) row.getArray(11).getArray();
        Map<String, String> scope = new LinkedHashMap<>();
        for (int i = 0; i < names.length; i++) {
            scope.put(names[i], values[i]);
        }
        long limit = row.getLong(7);
        Timestamp ends = row.getTimestamp(8);
        return new BudgetUsage(
                row.getString(1),
                row.getString(2),
                scope,
                row.getBoolean(3),
                Window.ofSpec(row.getString(4), Math.max(1, limit)).words(),
                row.getLong(5),
                row.getLong(6),
                limit,
                ends == null ? null : ends.toInstant(),
                row.getTimestamp(9).toInstant());
    }
}

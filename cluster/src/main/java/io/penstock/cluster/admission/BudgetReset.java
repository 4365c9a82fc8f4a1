package io.penstock.cluster.admission;

import io.penstock.cluster.postgres.Transactions;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Starts the counters of a budget over.
 *
 * <p><b>Guarantee.</b> Goes through them in batches of one short transaction each, so that
 * admissions wait for none of it for long; the epoch rises at the end, which makes every replica
 * forget what was used up. Repeating it is harmless.
 */
public final class BudgetReset {
    private static final String COUNTERS =
            "select penstock.reset_counters_v1(?, pg_catalog.jsonb_object(?::text[], ?::text[]),"
                    + " ?)";
    private static final String DONE =
            "select penstock.reset_done_v1(?, pg_catalog.jsonb_object(?::text[], ?::text[]), ?, ?)";

    private BudgetReset() {}

    /**
     * Empties the counters, outside of any transaction.
     *
     * @param scope values by dimension that a counter must have; empty for all of the budget
     * @return the epoch from which on every replica knows
     */
    public static long run(
            Connection connection,
            String budget,
            Map<String, String> scope,
            String reason,
            String actor)
            throws SQLException {
        Array names = null;
        Array values = null;
        if (!scope.isEmpty()) {
            List<String> dimensions = List.copyOf(scope.keySet());
            names = connection.createArrayOf("text", dimensions.toArray());
            values =
                    connection.createArrayOf("text", dimensions.stream().map(scope::get).toArray());
        }
        String last = "";
        while (last != null) {
            last = batch(connection, budget, names, values, last);
        }
        try (PreparedStatement done = connection.prepareStatement(DONE)) {
            done.setString(1, budget);
            done.setArray(2, names);
            done.setArray(3, values);
            done.setString(4, reason);
            done.setString(5, actor);
            try (ResultSet row = done.executeQuery()) {
                row.next();
                long epoch = row.getLong(1);
                Transactions.checkCommitted(done.getWarnings(), connection);
                return epoch;
            }
        }
    }

    private static @Nullable String batch(
            Connection connection,
            String budget,
            @Nullable Array names,
            @Nullable Array values,
            String after)
            throws SQLException {
        try (PreparedStatement next = connection.prepareStatement(COUNTERS)) {
            next.setString(1, budget);
            next.setArray(2, names);
            next.setArray(3, values);
            next.setString(4, after);
            try (ResultSet row = next.executeQuery()) {
                row.next();
                return row.getString(1);
            }
        }
    }
}

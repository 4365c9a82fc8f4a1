package io.penstock.cluster.store;

import io.helidon.dbclient.DbColumn;
import io.helidon.dbclient.DbRow;
import io.penstock.budget.Subject;
import io.penstock.cluster.admission.Explained;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Pool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the admin plane shows of the cluster: the rows of the schema's views, for JSON.
 *
 * <p><b>Failure.</b> {@link Pool.PoolException}.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public final class AdminQueries {
    /** More rows than this are never asked for at once. */
    public static final int ROWS_MAX = 10_000;

    /**
     * What can be shown. No {@code ::} in these: the DB client takes what follows for a parameter.
     */
    public enum View {
        REPLICAS("select * from penstock.status order by replica, incarnation limit :most"),
        STOPS("select * from penstock.stops order by epoch, id limit :most"),
        BLOCKS("select * from penstock.blocks order by tenant, agent limit :most"),
        DUTIES("select * from penstock.duties order by duty limit :most"),
        CLUSTER("select * from penstock.cluster limit :most"),
        BUDGET_USAGE("select * from penstock.budget_usage limit :most"),
        HOLDS("select * from penstock.holds limit :most"),
        /** The fullest counter of each enforced budget, as a share of its limit. */
        BUDGET_RATIOS(
                "select budget, max(cast(used as double precision) / \"limit\") as ratio"
                        + " from penstock.budget_usage where not shadow and \"limit\" > 0"
                        + " group by budget order by budget limit :most"),
        REVISIONS(
                "select revision, hash, applied_at, applied_by, reason, epoch, current"
                        + " from penstock.revisions order by revision desc limit :most");

        private final String sql;

        View(String sql) {
            this.sql = sql;
        }
    }

    private final Pool pool;

    public AdminQueries(Pool pool) {
        this.pool = pool;
    }

    /** The rows of a view, columns in their order; at most {@value #ROWS_MAX}. */
    public List<Map<String, @Nullable Object>> rows(View view, int most) {
        int limit = Math.clamp(most, 1, ROWS_MAX);
        return pool.query(
                client -> {
                    List<Map<String, @Nullable Object>> rows = new ArrayList<>();
                    // Closing the stream gives the connection back even if reading fails.
                    try (Stream<DbRow> found =
                            client.execute()
                                    .createQuery(view.sql)
                                    .addParam("most", limit)
                                    .execute()) {
                        found.forEach(row -> rows.add(map(row)));
                    }
                    return rows;
                });
    }

    /** What every budget would make of a call now, as {@link Explained#described} has it. */
    public List<Map<String, Object>> explain(Rules rules, Subject subject) {
        return pool.statement(connection -> Explained.read(connection, rules, subject)).stream()
                .map(Explained::described)
                .toList();
    }

    private static Map<String, @Nullable Object> map(DbRow row) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        row.forEach(column -> map.put(column.name(), value(column)));
        return map;
    }

    private static @Nullable Object value(DbColumn column) {
        return column.asOptional().map(AdminQueries::plain).orElse(null);
    }

    /** Types of the driver and of JDBC become those that any JSON writer knows. */
    private static Object plain(Object value) {
        return switch (value) {
            case java.sql.Timestamp time -> time.toInstant().toString();
            case java.sql.Array array -> elements(array);
            case Number number -> number;
            case Boolean truth -> truth;
            default -> value.toString();
        };
    }

    private static List<Object> elements(java.sql.Array array) {
        try {
            return List.of((Object[]) array.getArray());
        } catch (java.sql.SQLException e) {
            throw new StoreException("an array could not be read", e);
        }
    }
}

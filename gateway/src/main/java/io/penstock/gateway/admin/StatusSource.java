package io.penstock.gateway.admin;

import io.penstock.budget.Subject;
import io.penstock.cluster.control.Rules;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster as the database shows it.
 *
 * <p><b>Failure.</b> Any unchecked exception: not available now.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks on the database.
 */
public interface StatusSource {

    /** What can be asked for. */
    enum View {
        CLUSTER,
        REPLICAS,
        DUTIES,
        STOPS,
        BLOCKS,
        BUDGETS,
        /** What calls in flight hold. */
        HOLDS,
        /**
         * Columns {@code budget} and {@code ratio}: the fullest counter of each enforced budget.
         */
        BUDGET_RATIOS,
        REVISIONS
    }

    /**
     * Rows by column name, in a stable order; at most {@code most}. Values are text, numbers,
     * truths, lists of these, or null.
     */
    List<Map<String, @Nullable Object>> rows(View view, int most);

    /** What every budget of these rules would make of a call now, a row each, as above. */
    List<Map<String, Object>> explain(Rules rules, Subject subject);
}

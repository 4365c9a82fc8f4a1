package io.penstock.gateway;

import io.penstock.budget.Subject;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.store.AdminQueries;
import io.penstock.gateway.admin.StatusSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The cluster as the admin API shows it, read with the gateway's own rights. */
final class ClusterViews implements StatusSource {
    private final AdminQueries queries;

    ClusterViews(AdminQueries queries) {
        this.queries = queries;
    }

    @Override
    public List<Map<String, @Nullable Object>> rows(View view, int most) {
        return queries.rows(
                switch (view) {
                    case CLUSTER -> AdminQueries.View.CLUSTER;
                    case REPLICAS -> AdminQueries.View.REPLICAS;
                    case DUTIES -> AdminQueries.View.DUTIES;
                    case STOPS -> AdminQueries.View.STOPS;
                    case BLOCKS -> AdminQueries.View.BLOCKS;
                    case BUDGETS -> AdminQueries.View.BUDGET_USAGE;
                    case HOLDS -> AdminQueries.View.HOLDS;
                    case BUDGET_RATIOS -> AdminQueries.View.BUDGET_RATIOS;
                    case REVISIONS -> AdminQueries.View.REVISIONS;
                },
                most);
    }

    @Override
    public List<Map<String, Object>> explain(Rules rules, Subject subject) {
        return queries.explain(rules, subject);
    }
}

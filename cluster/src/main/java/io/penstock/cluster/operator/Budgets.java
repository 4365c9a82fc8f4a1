package io.penstock.cluster.operator;

import io.penstock.cluster.admission.BudgetUsage;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is used of the budgets, for an operator. */
public final class Budgets {
    /** Longest listing. */
    public static final int LISTED_MAX = 10_000;

    private final Connector connector;

    public Budgets(Connector connector) {
        this.connector = connector;
    }

    /** The counters of one budget, or of all; within a budget the most used first. */
    public List<BudgetUsage> usage(@Nullable String budget) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return BudgetUsage.read(connection, budget, LISTED_MAX);
        }
    }
}

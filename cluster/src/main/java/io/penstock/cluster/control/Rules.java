package io.penstock.cluster.control;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The cluster-wide configuration of one revision: what every replica judges by.
 *
 * @param revision its number, 1 for the first
 * @param budgets what a call must ask of its budgets
 * @param servers mode of each server that exists, by name
 * @param lease how long an operator waits for a silent replica
 */
public record Rules(long revision, BudgetSet budgets, Map<String, Mode> servers, Duration lease) {
    public Rules {
        servers = Map.copyOf(servers);
    }

    public Rules(long revision, List<Budget> budgets, Map<String, Mode> servers, Duration lease) {
        this(revision, new BudgetSet(budgets), servers, lease);
    }
}

package io.penstock.gateway.config;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.PriceList;
import io.penstock.cluster.control.Rules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The cluster-wide part of a file: revision 1 of a new cluster, or what {@code penstock apply}
 * makes a revision of.
 *
 * @param budgetsGiven whether the file has a {@code budgets} key; a file without one takes no stand
 * @param prices what calls cost; they come and go with the budgets
 * @param servers mode by name
 * @param leaseGiven whether the file has {@code control.lease}
 */
public record RulesConfig(
        List<Budget> budgets,
        boolean budgetsGiven,
        List<Price> prices,
        Map<String, Mode> servers,
        Duration lease,
        boolean leaseGiven) {
    public RulesConfig {
        budgets = List.copyOf(budgets);
        prices = List.copyOf(prices);
        servers = Map.copyOf(servers);
    }

    /** As the revision of that number. */
    public Rules rules(long revision) {
        return new Rules(revision, new BudgetSet(budgets, new PriceList(prices)), servers, lease);
    }

    /** As the revision after the current one, null for a new cluster; fills gaps from that. */
    public Rules after(@Nullable Rules current) {
        if (current == null) {
            return rules(1);
        }
        return new Rules(
                current.revision() + 1,
                budgetsGiven ? new BudgetSet(budgets, new PriceList(prices)) : current.budgets(),
                servers,
                leaseGiven ? lease : current.lease());
    }
}

package io.penstock.cluster.admission;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Charge;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;
import io.penstock.budget.Standing;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Rules;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one budget would make of a call.
 *
 * @param standing where its counter stands now, or null where it does not apply
 */
public record Explained(BudgetSet.Applied applied, @Nullable Standing standing) {

    /**
     * Asks for every budget of these rules, in their order; takes no lock and charges nothing.
     * Costs one statement.
     */
    public static List<Explained> read(Connection connection, Rules rules, Subject subject)
            throws SQLException {
        Mode mode = rules.servers().getOrDefault(subject.server(), Mode.ENFORCE);
        List<BudgetSet.Applied> all = rules.budgets().explain(subject, mode);
        List<Counter> counters = new ArrayList<>();
        for (BudgetSet.Applied applied : all) {
            if (applied.charge() != null) {
                counters.add(applied.charge().counter());
            }
        }
        List<Standing> standings = CounterStandings.read(connection, counters);
        List<Explained> explained = new ArrayList<>();
        int next = 0;
        for (BudgetSet.Applied applied : all) {
            explained.add(
                    new Explained(
                            applied, applied.charge() == null ? null : standings.get(next++)));
        }
        return explained;
    }

    /** Whether the call would be refused because of it: for want of units, or of a price. */
    public boolean refuses() {
        return wantsMore() || applied.why().startsWith("refuses");
    }

    private boolean wantsMore() {
        Charge charge = applied.charge();
        return charge != null
                && standing != null
                && !charge.counter().shadow()
                && standing.remaining() < charge.amount();
    }

    /** The same for JSON. */
    public Map<String, Object> described() {
        Map<String, Object> tree = new LinkedHashMap<>();
        Budget budget = applied.budget();
        Charge charge = applied.charge();
        tree.put("budget", budget.name());
        tree.put("unit", budget.unit().name().toLowerCase(Locale.ROOT));
        tree.put("window", budget.window().words());
        tree.put("applies", charge != null);
        tree.put("why", applied.why());
        tree.put("refuses", refuses());
        if (charge != null && standing != null) {
            tree.put("asks", charge.amount());
            tree.put("holds", charge.held());
            tree.put("limit", charge.counter().limit());
            tree.put("left", standing.remaining());
            tree.put("held", standing.held());
            tree.put("moreInMicros", standing.endsInMicros());
            tree.put("counter", charge.counter().key());
        }
        return tree;
    }
}

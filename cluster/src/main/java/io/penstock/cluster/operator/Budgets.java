package io.penstock.cluster.operator;

import io.penstock.budget.Subject;
import io.penstock.cluster.admission.BudgetReset;
import io.penstock.cluster.admission.BudgetUsage;
import io.penstock.cluster.admission.Explained;
import io.penstock.cluster.admission.OpenHold;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is used of the budgets, for an operator, and how to start one over.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks the caller.
 */
public final class Budgets {
    /** Longest listing. */
    public static final int LISTED_MAX = 10_000;

    private final Connector connector;
    private final LongSupplier ticker;

    /** {@code ticker}: monotonic nanoseconds of this process. */
    public Budgets(Connector connector, LongSupplier ticker) {
        this.connector = connector;
        this.ticker = ticker;
    }

    /** The counters of one budget, or of all; within a budget the most used first. */
    public List<BudgetUsage> usage(@Nullable String budget) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return BudgetUsage.read(connection, budget, LISTED_MAX);
        }
    }

    /** What calls in flight hold, of one budget or of all; the oldest first. */
    public List<OpenHold> holds(@Nullable String budget) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return OpenHold.read(connection, budget, LISTED_MAX);
        }
    }

    /** What every budget of these rules would make of a call now; charges nothing. */
    public List<Explained> explain(Rules rules, Subject subject) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            return Explained.read(connection, rules, subject);
        }
    }

    /**
     * What is to start over.
     *
     * @param scope values by dimension that a counter must have; empty for all of the budget
     */
    public record Reset(String budget, Map<String, String> scope, String reason, String actor) {
        public Reset {
            scope = Map.copyOf(scope);
        }
    }

    /**
     * Empties the counters of a budget, and waits until every replica has forgotten that they were
     * used up. What calls in flight hold stays charged.
     */
    public ChangeReport reset(Reset reset, Patience patience, Progress progress) {
        try (OrderSession session = new OrderSession(connector, ticker)) {
            long sent = session.now();
            long epoch =
                    session.untilKnown(
                            c ->
                                    BudgetReset.run(
                                            c,
                                            reset.budget(),
                                            reset.scope(),
                                            reset.reason(),
                                            reset.actor()),
                            sent + patience.atMost().toNanos(),
                            progress);
            return ChangeReport.await(session, epoch, sent, patience, progress);
        } catch (OrderSession.Failed e) {
            return ChangeReport.notRecorded(String.valueOf(e.getMessage()));
        }
    }
}

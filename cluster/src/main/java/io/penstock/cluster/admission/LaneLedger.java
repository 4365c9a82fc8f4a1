package io.penstock.cluster.admission;

import io.penstock.budget.BudgetLedger;
import java.sql.SQLException;

/** The ledger as one lane has it, with what else its connection is good for. */
public interface LaneLedger extends BudgetLedger {

    /**
     * Has the control state read over this lane's connection.
     *
     * @throws SQLException if it cannot be read now
     */
    void refresh(ControlSource control) throws SQLException;
}

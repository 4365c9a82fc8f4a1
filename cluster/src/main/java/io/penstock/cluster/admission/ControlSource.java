package io.penstock.cluster.admission;

import io.penstock.cluster.control.ControlView;
import java.sql.Connection;
import java.sql.SQLException;

/** Where lanes learn the control state. */
public interface ControlSource {

    /** The state as this replica knows it. */
    ControlView view();

    /**
     * Reads the state over this connection and brings it into the view, if it is newer. Called by a
     * lane's thread when the ledger says that the epoch is another one.
     *
     * @throws SQLException if it cannot be read now
     */
    void refresh(Connection connection) throws SQLException;
}

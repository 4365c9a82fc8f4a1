package io.penstock.cluster.admission;

import java.sql.SQLException;

/** Opens the ledger for one lane: a connection of its own, checked to be the right database. */
public interface LaneOpener {

    /**
     * @param lane 0 to one less than the most lanes
     * @throws SQLException if there is no usable database now; it is tried again
     */
    LaneLedger open(int lane) throws SQLException;
}

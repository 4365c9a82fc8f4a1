package io.penstock.cluster.admission;

import io.penstock.cluster.control.ControlView;

/** Where lanes learn the control state. */
public interface ControlSource {

    /** The state as this replica knows it. */
    ControlView view();

    /**
     * Reads the state from the database now and publishes it in the view; returns when that is done
     * or has failed. Called by a lane's thread when the ledger says that the epoch is another one.
     */
    void refresh();
}

package io.penstock.gateway.call;

import io.penstock.cluster.journal.Outcome;
import io.penstock.cluster.journal.RefusalEntry;

/**
 * Where the call path leaves what became of calls; the cluster's journal stands behind it.
 *
 * <p><b>Threads.</b> Safe for concurrent use; never waits for the database.
 */
public interface CallJournal {

    void outcome(Outcome outcome);

    void refusal(RefusalEntry refusal);
}

package io.penstock.cluster.membership;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * One round of housekeeping that only the leader of a duty does.
 *
 * <p><b>Guarantee.</b> Runs in a transaction that holds the term: no other leader of the duty can
 * begin before it has ended.
 */
@FunctionalInterface
public interface DutyWork {

    /**
     * Does a bounded piece: about 500 rows, well under a second.
     *
     * @return whether there is more to do now
     */
    boolean run(Connection connection, Term term) throws SQLException;
}

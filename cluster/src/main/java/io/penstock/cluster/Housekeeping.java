package io.penstock.cluster;

import io.penstock.cluster.membership.ControlSweep;
import io.penstock.cluster.membership.Duties;
import io.penstock.cluster.membership.Term;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * What one replica of a cluster does for all: fences the dead, keeps tables bounded, makes room for
 * the journal.
 */
final class Housekeeping {
    private static final System.Logger LOG = System.getLogger(Housekeeping.class.getName());
    private static final String PARTITIONS = "partitions";
    private static final int DAYS_AHEAD = 3;
    private static final Duration HOLDS_EVERY = Duration.ofSeconds(1);
    private static final Duration COUNTERS_EVERY = Duration.ofSeconds(10);
    private static final Duration PARTITIONS_EVERY = Duration.ofMinutes(10);
    private static final Duration RETENTION_EVERY = Duration.ofMinutes(1);

    /** As many rows as one round of the counters' sweep removes at most of each kind. */
    private static final int ROUND_ROWS = 500;

    private Housekeeping() {}

    /**
     * Registers all of it.
     *
     * @param retention how long the journal is kept
     * @param ticker monotonic nanoseconds of this process
     */
    static void register(Duties duties, Duration retention, LongSupplier ticker) {
        duties.register(ControlSweep.DUTY, ControlSweep.INTERVAL, new ControlSweep(ticker));
        duties.register(ControlSweep.DUTY, HOLDS_EVERY, Housekeeping::sweepHolds);
        duties.register(ControlSweep.DUTY, COUNTERS_EVERY, Housekeeping::sweepCounters);
        duties.register(
                ControlSweep.DUTY,
                RETENTION_EVERY,
                (connection, term) ->
                        rows(connection, "select penstock.sweep_alerts_v1(?, ?)", term)
                                >= ROUND_ROWS);
        duties.register(
                PARTITIONS, PARTITIONS_EVERY, (connection, _) -> makePartitions(connection));
        duties.register(
                PARTITIONS, RETENTION_EVERY, (connection, _) -> retire(connection, retention));
    }

    /** Ends holds that nobody settles any more: their replica is dead, or forgot them. */
    private static boolean sweepHolds(Connection connection, Term term) throws SQLException {
        int ended = rows(connection, "select penstock.sweep_holds_v1(?, ?)", term);
        if (ended > 0) {
            LOG.log(Level.WARNING, "event=holds-swept count={0}", ended);
        }
        return ended >= ROUND_ROWS;
    }

    private static boolean sweepCounters(Connection connection, Term term) throws SQLException {
        return rows(connection, "select penstock.sweep_counters_v1(?, ?)", term) >= ROUND_ROWS;
    }

    private static int rows(Connection connection, String sql, Term term) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            s.setObject(1, term.holder().id());
            s.setLong(2, term.number());
            try (ResultSet row = s.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    private static boolean makePartitions(Connection connection) throws SQLException {
        try (PreparedStatement s =
                connection.prepareStatement("select penstock.partitions_ahead_v1(?)")) {
            s.setInt(1, DAYS_AHEAD);
            try (ResultSet row = s.executeQuery()) {
                row.next();
                int made = row.getInt(1);
                if (made > 0) {
                    LOG.log(Level.INFO, "event=partitions-made count={0}", made);
                }
                return false;
            }
        }
    }

    private static boolean retire(Connection connection, Duration retention) throws SQLException {
        try (PreparedStatement s =
                connection.prepareStatement(
                        "select penstock.journal_retention_v1(pg_catalog.make_interval(secs =>"
                                + " ?))")) {
            s.setDouble(1, retention.toSeconds());
            try (ResultSet row = s.executeQuery()) {
                row.next();
                String done = row.getString(1);
                if (done != null) {
                    LOG.log(Level.INFO, "event=journal-retention done=\"{0}\"", done);
                }
                return done != null;
            }
        }
    }
}

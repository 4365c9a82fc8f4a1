package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Settlement;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;

/**
 * One lane's connection to the ledger in Postgres. Plain JDBC on purpose: arrays in, one array out,
 * no pool, and every call is one statement alone in autocommit, which the functions cannot check
 * themselves.
 *
 * <p><b>Failure.</b> A lost connection, a timeout, or a warning (a wait for a standby that was cut
 * short says "committed here" with a warning) is {@link BudgetLedger.Unknown}; every other error
 * means that nothing was changed.
 *
 * <p><b>Threads.</b> One lane's thread.
 *
 * <p><b>Cost.</b> One round trip a batch.
 */
public final class PostgresLedger implements LaneLedger {
    private static final String ADMIT = "select penstock.admit_v1(" + "?, ".repeat(28) + "?)";
    private static final String RESOLVE = "select penstock.resolve_v1(" + "?, ".repeat(12) + "?)";
    private static final String SETTLE = "select penstock.settle_v1(" + "?, ".repeat(14) + "?)";
    private static final String OPEN = "select penstock.open_lane_v1(?, ?)";

    /**
     * Plans are made once and look rows up one by one: a plan that was made for an empty table must
     * still be right when it is large, and planning costs as much as a batch.
     */
    private static final String SETTINGS =
            """
            select pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', false),
                   pg_catalog.set_config('enable_seqscan', 'off', false),
                   pg_catalog.set_config('enable_bitmapscan', 'off', false),
                   pg_catalog.set_config('enable_hashjoin', 'off', false),
                   pg_catalog.set_config('enable_mergejoin', 'off', false),
                   pg_catalog.set_config('enable_material', 'off', false),
                   pg_catalog.set_config('jit', 'off', false)
            """;

    private static final int RESOLVE_WAIT_MILLIS = 1_000;

    private final Connection connection;
    private final BatchColumns columns;
    private final UUID incarnation;
    private final int lane;
    private final long lastSeq;
    private final PreparedStatement admit;
    private final PreparedStatement resolve;
    private final PreparedStatement settle;

    private PostgresLedger(Connection connection, UUID incarnation, int lane) throws SQLException {
        this.connection = connection;
        this.incarnation = incarnation;
        this.lane = lane;
        columns = new BatchColumns(connection.unwrap(PGConnection.class));
        try (PreparedStatement settings = connection.prepareStatement(SETTINGS)) {
            settings.execute();
        }
        lastSeq = openLane();
        admit = connection.prepareStatement(ADMIT);
        // Binary from the first answer on: the array is read from its bytes.
        admit.unwrap(PGStatement.class).setPrepareThreshold(-1);
        resolve = connection.prepareStatement(RESOLVE);
        settle = connection.prepareStatement(SETTLE);
    }

    /**
     * Takes a connection over: closes it when it cannot be used.
     *
     * @throws IncarnationOverException if this incarnation is fenced or closed
     * @throws SQLException if the lane cannot be opened now
     */
    public static PostgresLedger open(Connection connection, UUID incarnation, int lane)
            throws SQLException {
        try {
            return new PostgresLedger(connection, incarnation, lane);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public long lastSeq() {
        return lastSeq;
    }

    @Override
    public Answer admit(Batch batch) {
        try {
            columns.bindAdmit(admit, incarnation, lane, batch);
            long[] answer = LongArrays.one(admit);
            if (admit.getWarnings() != null) {
                return new Unknown("warning on the commit: " + admit.getWarnings());
            }
            return read(answer, batch);
        } catch (SQLException e) {
            if (SqlStates.classify(e) == SqlStates.Failure.RETRY) {
                return new Late(0);
            }
            return failure(e);
        }
    }

    @Override
    public Resolution resolve(Batch batch) {
        try {
            columns.bindResolve(resolve, incarnation, lane, RESOLVE_WAIT_MILLIS, batch);
            return switch (number(resolve)) {
                case 0, 2 -> new Resolved(false);
                case 1 -> new Resolved(true);
                default -> new Superseded();
            };
        } catch (SQLException e) {
            return failure(e);
        }
    }

    @Override
    public Return settle(Settlement units) {
        try {
            columns.bindSettle(settle, incarnation, lane, units);
            return switch (number(settle)) {
                case 0, 1 -> new Returned();
                default -> new Superseded();
            };
        } catch (SQLException e) {
            return failure(e);
        }
    }

    @Override
    public void refresh(ControlSource control) throws SQLException {
        control.refresh(connection);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            // Closing sends a farewell; a connection that cannot even do that is closed as well.
            System.getLogger(PostgresLedger.class.getName())
                    .log(System.Logger.Level.DEBUG, "lane={0} close: {1}", lane, e.getMessage());
        }
    }

    private static Answer read(long[] answer, Batch batch) {
        return switch ((int) answer[0]) {
            case 0 -> new AdmitAnswer(answer, batch).decided();
            case 1 -> new Replan();
            case 2 -> new Late(answer[2]);
            case 3 -> new Superseded();
            default -> throw new IllegalStateException("admit_v1 answered " + answer[0]);
        };
    }

    private long openLane() throws SQLException {
        try (PreparedStatement open = connection.prepareStatement(OPEN)) {
            open.setObject(1, incarnation);
            open.setShort(2, (short) lane);
            try (ResultSet row = open.executeQuery()) {
                row.next();
                long seq = row.getLong(1);
                if (seq == -1) {
                    throw new IncarnationOverException(incarnation);
                }
                if (seq < 0) {
                    throw new SQLException("incarnation " + incarnation + " has not beaten yet");
                }
                return seq;
            }
        }
    }

    private static int number(PreparedStatement statement) throws SQLException {
        int number;
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            number = row.getInt(1);
        }
        if (statement.getWarnings() != null) {
            throw new SQLException("" + statement.getWarnings(), SqlStates.OUTCOME_UNKNOWN);
        }
        return number;
    }

    private static Trouble failure(SQLException e) {
        String reason = e.getSQLState() + ": " + e.getMessage();
        return switch (SqlStates.classify(e)) {
            case UNKNOWN, UNREACHABLE -> new Unknown(reason);
            case READ_ONLY, DENIED, MISSING -> new Failed(reason, true);
            case RETRY, DUPLICATE, REFUSED -> new Failed(reason, false);
        };
    }
}

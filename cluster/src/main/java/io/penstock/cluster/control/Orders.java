package io.penstock.cluster.control;

import io.penstock.cluster.postgres.Transactions;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * Records orders to stop and to resume.
 *
 * <p><b>Guarantee.</b> When a method returns, the order is committed. Repeating an order with the
 * same ids changes nothing more, so that after an unknown outcome the same call can be made again.
 *
 * <p><b>Failure.</b> A {@link SQLException} whose class is unknown leaves the outcome open.
 *
 * <p><b>Cost.</b> One round trip, and a NOTIFY in another that may fail without harm.
 */
public final class Orders {
    private static final String STOP =
            "select epoch, control_epoch, fresh, lifted"
                    + " from penstock.give_stop_v1(?, ?, ?, ?, ?, ?, ?)";
    private static final String RESUME =
            "select epoch, lifted, unknown from penstock.resume_v1(?, ?, ?)";

    private Orders() {}

    /**
     * A stop as it stands in the database.
     *
     * @param epoch what a replica must have acknowledged
     * @param controlEpoch the cluster's at the time of the answer
     * @param fresh this call recorded it; otherwise it was known
     * @param lifted it was given before, and at least one of its stops was lifted since
     */
    public record Stopped(long epoch, long controlEpoch, boolean fresh, boolean lifted) {}

    /**
     * What was resumed.
     *
     * @param epoch what a replica must have acknowledged
     * @param lifted those that this call lifted
     * @param unknown ids that no stop has; then none was lifted
     */
    public record Resumed(long epoch, List<UUID> lifted, List<UUID> unknown) {}

    /** Gives a stop, or finds it given. */
    public static Stopped stop(Connection connection, StopOrder order) throws SQLException {
        List<StopOrder.Target> targets = order.targets();
        try (PreparedStatement s = connection.prepareStatement(STOP)) {
            s.setArray(1, array(connection, "uuid", targets.stream().map(t -> t.id()).toArray()));
            s.setArray(
                    2,
                    array(
                            connection,
                            "text",
                            targets.stream().map(t -> t.scope().kind()).toArray()));
            s.setArray(
                    3,
                    array(
                            connection,
                            "text",
                            targets.stream().map(t -> t.scope().value()).toArray()));
            s.setString(4, order.reason());
            s.setString(5, order.actor());
            s.setBoolean(6, order.drain());
            s.setBoolean(7, order.showReason());
            try (ResultSet r = s.executeQuery()) {
                r.next();
                Stopped stopped =
                        new Stopped(r.getLong(1), r.getLong(2), r.getBoolean(3), r.getBoolean(4));
                Transactions.checkCommitted(s.getWarnings(), connection);
                return stopped;
            }
        }
    }

    /**
     * Lifts stops by id, all or none. Needs an operator's credential: a gateway has no right to it.
     */
    public static Resumed resume(Connection connection, List<UUID> ids, String reason, String actor)
            throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(RESUME)) {
            s.setArray(1, array(connection, "uuid", ids.toArray()));
            s.setString(2, reason);
            s.setString(3, actor);
            try (ResultSet r = s.executeQuery()) {
                r.next();
                Resumed resumed = new Resumed(r.getLong(1), ids(r, 2), ids(r, 3));
                Transactions.checkCommitted(s.getWarnings(), connection);
                return resumed;
            }
        }
    }

    /** Wakes the replicas; a hint only, after which they read the truth. */
    public static void tell(Connection connection, long epoch) throws SQLException {
        ControlSql.notify(connection, Long.toString(epoch));
    }

    private static Array array(Connection connection, String type, Object[] values)
            throws SQLException {
        return connection.createArrayOf(type, values);
    }

    private static List<UUID> ids(ResultSet r, int column) throws SQLException {
        return Arrays.stream((Object[]) r.getArray(column).getArray())
                .map(UUID.class::cast)
                .toList();
    }
}

package io.penstock.cluster.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Wakes the replicas; they read the truth themselves, and would soon without it. */
final class Hint {
    private static final System.Logger LOG = System.getLogger(Hint.class.getName());

    private Hint() {}

    static void send(Connection c, long epoch) {
        try (PreparedStatement s =
                c.prepareStatement("select pg_catalog.pg_notify('penstock_control', ?)")) {
            s.setString(1, Long.toString(epoch));
            s.execute();
        } catch (SQLException e) {
            LOG.log(System.Logger.Level.DEBUG, "hint not sent", e);
        }
    }
}

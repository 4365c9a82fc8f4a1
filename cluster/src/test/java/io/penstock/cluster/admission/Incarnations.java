package io.penstock.cluster.admission;

import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/** Makes incarnations known, as their first beat would. */
final class Incarnations {
    private Incarnations() {}

    static UUID register(TestDatabase database) throws SQLException {
        UUID incarnation = UUID.randomUUID();
        register(database, incarnation);
        return incarnation;
    }

    static void register(TestDatabase database, UUID incarnation) throws SQLException {
        try (Connection c = database.connectAsGateway();
                PreparedStatement s =
                        c.prepareStatement(
                                "select penstock.beat_v1('test', ?, 'open', 1000, 1, 'test', '',"
                                        + " '', '', 0, 0, false)")) {
            s.setObject(1, incarnation);
            s.execute();
        }
    }
}

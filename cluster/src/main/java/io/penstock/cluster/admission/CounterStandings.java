package io.penstock.cluster.admission;

import io.penstock.budget.Counter;
import io.penstock.budget.Standing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGConnection;

/** Reads where counters stand now, for whoever explains a decision. */
public final class CounterStandings {
    private static final String READ =
            "select remaining, held, back_us from penstock.standing_v1(?, ?, ?, ?, ?, ?)";

    private CounterStandings() {}

    /**
     * One standing for each counter, in their order; takes no lock and charges nothing. A counter
     * that no call has reached yet is empty.
     */
    public static List<Standing> read(Connection connection, List<Counter> counters)
            throws SQLException {
        CounterColumns columns = new CounterColumns(counters.size());
        String[] keys = new String[counters.size()];
        for (int i = 0; i < keys.length; i++) {
            columns.add(counters.get(i));
            keys[i] = counters.get(i).key();
        }
        PGConnection arrays = connection.unwrap(PGConnection.class);
        List<Standing> standings = new ArrayList<>(keys.length);
        try (PreparedStatement read = connection.prepareStatement(READ)) {
            read.setArray(1, arrays.createArrayOf("text", keys));
            read.setArray(2, arrays.createArrayOf("int8", columns.limits()));
            read.setArray(3, arrays.createArrayOf("int8", columns.micros()));
            read.setArray(4, arrays.createArrayOf("int4", columns.kinds()));
            read.setArray(5, arrays.createArrayOf("text", columns.zones()));
            read.setArray(6, arrays.createArrayOf("int8", columns.bursts()));
            try (ResultSet rows = read.executeQuery()) {
                while (rows.next()) {
                    standings.add(
                            new Standing(
                                    counters.get(standings.size()),
                                    rows.getLong(1),
                                    rows.getLong(3),
                                    0,
                                    rows.getLong(2)));
                }
            }
        }
        return standings;
    }
}

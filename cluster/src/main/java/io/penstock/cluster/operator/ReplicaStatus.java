package io.penstock.cluster.operator;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One replica as the database knows it.
 *
 * @param state booting, open, draining; overdue when its lease is over; gone when it said nothing
 *     for 15 s
 * @param epoch installed when its last beat began
 * @param ackedEpoch acknowledged last
 * @param open calls and streams that match a stop and are still open
 * @param leaseLeft what the database's clock makes of its lease; zero when it must be over
 * @param beatAge since its last beat
 * @param clockOffsetMicros its wall clock minus the database's; null before its second beat
 * @param degraded a NOTIFY does not reach it
 * @param leads its duties
 */
public record ReplicaStatus(
        String replica,
        UUID incarnation,
        String state,
        String version,
        String dataAddress,
        String adminAddress,
        String configHash,
        long epoch,
        long ackedEpoch,
        int open,
        Duration leaseLeft,
        Duration beatAge,
        int callsPerSecond,
        @Nullable Long clockOffsetMicros,
        boolean degraded,
        List<String> leads) {
    private static final String ALL =
            "select replica, incarnation, state, version, data_address, admin_address, config_hash,"
                    + " epoch, acked_epoch, open, lease_left_ms,"
                    + " (extract(epoch from beat_age) * 1000)::bigint, calls_per_second,"
                    + " clock_offset_us, degraded, leads"
                    + " from penstock.status order by replica, started_at";

    public ReplicaStatus {
        leads = List.copyOf(leads);
    }

    /** Whether it went without a word; it stands here until another of its name comes. */
    public boolean gone() {
        return state.equals("gone");
    }

    static List<ReplicaStatus> all(Connection connection) throws SQLException {
        List<ReplicaStatus> replicas = new ArrayList<>();
        try (PreparedStatement s = connection.prepareStatement(ALL);
                ResultSet r = s.executeQuery()) {
            while (r.next()) {
                replicas.add(one(r));
            }
        }
        return replicas;
    }

    private static ReplicaStatus one(ResultSet r) throws SQLException {
        return new ReplicaStatus(
                r.getString(1),
                r.getObject(2, UUID.class),
                r.getString(3),
                r.getString(4),
                r.getString(5),
                r.getString(6),
                r.getString(7),
                r.getLong(8),
                r.getLong(9),
                r.getInt(10),
                Duration.ofMillis(r.getLong(11)),
                Duration.ofMillis(Math.max(0, r.getLong(12))),
                r.getInt(13),
                r.getObject(14, Long.class),
                r.getBoolean(15),
                Arrays.asList((String[]) r.getArray(16).getArray()));
    }
}

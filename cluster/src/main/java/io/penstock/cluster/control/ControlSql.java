package io.penstock.cluster.control;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The statements of the control connections. Each is a transaction of its own, on a connection in
 * autocommit mode; one whose commit came back with a warning throws, because its outcome is
 * unknown.
 */
final class ControlSql {
    static final String CHANNEL = "penstock_control";

    private static final String BEAT =
            "select * from penstock.beat_v1(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String STATE =
            "select epoch, revision, keys_version, stops, changes, blocks, s.system_identifier,"
                    + " pg_catalog.left(pg_catalog.pg_walfile_name("
                    + "pg_catalog.pg_current_wal_lsn()), 8)"
                    + " from penstock.control_state_v2(?), pg_catalog.pg_control_system() s";
    private static final String ACKNOWLEDGE = "select penstock.acknowledge_v1(?, ?, ?, ?, ?, ?)";
    private static final String CLOSE = "select penstock.close_v1(?, ?)";
    private static final String NOTIFY = "select pg_catalog.pg_notify('" + CHANNEL + "', ?)";

    private static final String SERVER =
            "select s.system_identifier, pg_catalog.left(pg_catalog.pg_walfile_name("
                    + "pg_catalog.pg_current_wal_lsn()), 8) from pg_catalog.pg_control_system() s";

    private static final ObjectMapper JSON = new ObjectMapper();

    private ControlSql() {}

    /** One beat's row. {@code trustingMillis}: the largest lease that is still trusted by. */
    record Beat(
            Incarnation incarnation,
            String state,
            int trustingMillis,
            long epoch,
            Announcement announcement,
            int callsPerSecond,
            @Nullable Long clockOffsetMicros,
            boolean degraded) {}

    /**
     * What a replica tells after it brought everything in line with an epoch.
     *
     * @param cutEpoch the last epoch that cut anything, 0 for none
     * @param cut how many calls and streams that was
     * @param open matching ones that are still open
     */
    record Acknowledgement(long epoch, long cutEpoch, int cut, int open) {}

    static BeatReply beat(Connection connection, Beat beat) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(BEAT)) {
            s.setString(1, beat.incarnation().replica());
            s.setObject(2, beat.incarnation().id());
            s.setString(3, beat.state());
            s.setInt(4, beat.trustingMillis());
            s.setLong(5, beat.epoch());
            s.setString(6, beat.announcement().version());
            s.setString(7, beat.announcement().dataAddress());
            s.setString(8, beat.announcement().adminAddress());
            s.setString(9, beat.announcement().configHash());
            s.setInt(10, beat.callsPerSecond());
            s.setObject(11, beat.clockOffsetMicros(), Types.BIGINT);
            s.setBoolean(12, beat.degraded());
            try (ResultSet r = s.executeQuery()) {
                r.next();
                BeatReply reply =
                        new BeatReply(
                                r.getBoolean("fenced"),
                                r.getString("cluster"),
                                r.getInt("lease_ms"),
                                r.getLong("system_identifier"),
                                r.getString("timeline"),
                                r.getInt("backend_pid"),
                                r.getLong("database_us"));
                Transactions.checkCommitted(s.getWarnings(), connection);
                return reply;
            }
        }
    }

    /** Reads the state in one statement, hence from one snapshot, and who told it. */
    static ControlState state(Connection connection, long installedEpoch, LongSupplier ticker)
            throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(STATE)) {
            s.setLong(1, installedEpoch);
            try (ResultSet r = s.executeQuery()) {
                long receivedNanos = ticker.getAsLong();
                r.next();
                return new ControlState(
                        new Lease.Server(r.getLong(7), r.getString(8)),
                        r.getLong(1),
                        r.getLong(2),
                        r.getLong(3),
                        stops(r.getString(4), r.getString(5), installedEpoch),
                        blocks(r.getString(6), receivedNanos));
            }
        }
    }

    static void acknowledge(
            Connection connection, Incarnation incarnation, Acknowledgement acknowledgement)
            throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(ACKNOWLEDGE)) {
            s.setString(1, incarnation.replica());
            s.setObject(2, incarnation.id());
            s.setLong(3, acknowledgement.epoch());
            s.setLong(4, acknowledgement.cutEpoch());
            s.setInt(5, acknowledgement.cut());
            s.setInt(6, acknowledgement.open());
            s.execute();
        }
    }

    static void close(Connection connection, Incarnation incarnation) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(CLOSE)) {
            s.setString(1, incarnation.replica());
            s.setObject(2, incarnation.id());
            s.execute();
        }
    }

    static void notify(Connection connection, String payload) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(NOTIFY)) {
            s.setString(1, payload);
            s.execute();
        }
    }

    static Lease.Server server(Connection connection) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(SERVER);
                ResultSet r = s.executeQuery()) {
            r.next();
            return new Lease.Server(r.getLong(1), r.getString(2));
        }
    }

    static ControlState.@Nullable Stops stops(
            @Nullable String whole, @Nullable String changes, long installedEpoch)
            throws SQLException {
        if (whole != null) {
            List<Stop> stops = new ArrayList<>();
            for (JsonNode n : array(whole)) {
                stops.add(stop(n));
            }
            return new ControlState.Stops.Whole(stops);
        }
        if (changes == null) {
            return null;
        }
        List<Stop> given = new ArrayList<>();
        Set<UUID> lifted = new HashSet<>();
        for (JsonNode n : array(changes)) {
            Stop stop = stop(n);
            if (n.path("lifted").booleanValue()) {
                lifted.add(stop.id());
            } else {
                given.add(stop);
            }
        }
        return new ControlState.Stops.Changes(installedEpoch, given, lifted);
    }

    private static Stop stop(JsonNode n) {
        return new Stop(
                UUID.fromString(n.path("id").asText()),
                Scope.read(n.path("kind").asText(), n.path("value").textValue()),
                n.path("reason").asText(),
                n.path("actor").asText(),
                n.path("epoch").asLong(),
                n.path("drain").asBoolean(),
                n.path("showReason").asBoolean());
    }

    static @Nullable List<Block> blocks(@Nullable String json, long receivedNanos)
            throws SQLException {
        if (json == null) {
            return null;
        }
        List<Block> blocks = new ArrayList<>();
        for (JsonNode n : array(json)) {
            blocks.add(
                    new Block(
                            n.path("tenant").asText(),
                            n.path("agent").asText(),
                            n.path("reason").asText(),
                            receivedNanos + n.path("leftMicros").asLong() * 1000));
        }
        return blocks;
    }

    private static JsonNode array(String json) throws SQLException {
        try {
            JsonNode array = JSON.readTree(json);
            if (array.isArray()) {
                return array;
            }
        } catch (JsonProcessingException e) {
            throw new SQLException("the control state is not JSON", "22032", e);
        }
        // Anything else would read as a state without stops.
        throw new SQLException("the control state is not a list", "22032");
    }
}

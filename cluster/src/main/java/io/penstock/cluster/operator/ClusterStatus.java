package io.penstock.cluster.operator;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The whole cluster at a glance.
 *
 * @param epoch of the control state
 * @param findings what is not as it should be, a sentence each; empty when all is well
 */
public record ClusterStatus(
        String cluster,
        long epoch,
        Duration lease,
        long revision,
        List<ReplicaStatus> replicas,
        List<ActiveStop> stops,
        List<ActiveBlock> blocks,
        DatabaseStatus database,
        List<String> findings) {
    private static final String CONTROL =
            "select cluster::text, epoch, lease_ms, revision from penstock.cluster";
    private static final long CLOCK_OFFSET_MICROS_MAX = 1_000_000;

    public ClusterStatus {
        replicas = List.copyOf(replicas);
        stops = List.copyOf(stops);
        blocks = List.copyOf(blocks);
        findings = List.copyOf(findings);
    }

    /** Reads it; a few queries on one connection. */
    public static ClusterStatus read(Connector connector) throws SQLException {
        try (Connection connection = connector.open(Purpose.OPERATOR)) {
            List<ReplicaStatus> replicas = ReplicaStatus.all(connection);
            DatabaseStatus database = DatabaseStatus.of(connection);
            try (PreparedStatement s = connection.prepareStatement(CONTROL);
                    ResultSet r = s.executeQuery()) {
                r.next();
                return new ClusterStatus(
                        r.getString(1),
                        r.getLong(2),
                        Duration.ofMillis(r.getLong(3)),
                        r.getLong(4),
                        replicas,
                        ActiveStop.all(connection),
                        Blocks.all(connection),
                        database,
                        findings(replicas, database, r.getLong(4)));
            }
        }
    }

    /** Whether something is not as it should be. A stop that holds is as somebody wanted it. */
    public boolean degraded() {
        return !findings.isEmpty();
    }

    static List<String> findings(
            List<ReplicaStatus> replicas, DatabaseStatus database, long revision) {
        List<String> findings = new ArrayList<>();
        if (replicas.isEmpty()) {
            findings.add("no replica is registered");
        }
        if (revision == 0) {
            findings.add("no configuration revision was applied yet: no replica can admit");
        }
        if (database.durability() == Durability.NONE) {
            findings.add("the database does not flush (fsync is off): a crash loses admissions");
        }
        replicas.forEach(replica -> findings(replica, findings));
        differing(replicas, findings);
        return findings;
    }

    private static void findings(ReplicaStatus replica, List<String> findings) {
        String name = "replica " + replica.replica() + ": ";
        if (replica.gone()) {
            findings.add(
                    name
                            + "gone, no beat for "
                            + replica.beatAge().toSeconds()
                            + " s, and no other of its name came");
            return;
        }
        if (replica.leaseLeft().isZero()) {
            findings.add(
                    name
                            + "no beat for "
                            + replica.beatAge().toMillis()
                            + " ms, its lease is over");
        }
        if (replica.degraded()) {
            findings.add(name + "NOTIFY does not reach it, it polls: stops take longer");
        }
        Long offset = replica.clockOffsetMicros();
        if (offset != null && Math.abs(offset) > CLOCK_OFFSET_MICROS_MAX) {
            findings.add(name + "its clock is " + offset / 1000 + " ms off the database's");
        }
    }

    private static void differing(List<ReplicaStatus> all, List<String> findings) {
        List<ReplicaStatus> replicas = all.stream().filter(r -> !r.gone()).toList();
        long hashes = replicas.stream().map(ReplicaStatus::configHash).distinct().count();
        if (hashes > 1) {
            List<String> each =
                    replicas.stream().map(r -> r.replica() + "=" + r.configHash()).toList();
            findings.add("replicas differ in addresses, TLS or key files: " + each);
        }
    }
}

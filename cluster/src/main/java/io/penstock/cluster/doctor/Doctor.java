package io.penstock.cluster.doctor;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.SqlStates;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Looks at a database with the credential it is given for everything that would break a guarantee.
 *
 * <p><b>Guarantee.</b> Changes nothing. A check that cannot be made is a finding of its own.
 *
 * <p><b>Threads.</b> One. Takes some seconds at most where a host does not answer.
 */
public final class Doctor {
    private final InstantSource wall;
    private final LongSupplier nanos;

    /** One look; adds what it finds. */
    @FunctionalInterface
    private interface Check {
        void look(Patient patient, List<Finding> findings) throws SQLException;
    }

    public Doctor(InstantSource wall, LongSupplier nanos) {
        this.wall = wall;
        this.nanos = nanos;
    }

    /** Everything that was looked at, good or bad, in the order of importance. */
    public List<Finding> examine(DatabaseConfig config, Expectations expectations) {
        List<Finding> findings = new ArrayList<>();
        HostChecks.fileLimit(findings);
        HostChecks.hosts(config, findings);
        try (Patient patient = Patient.open(config)) {
            findings.add(
                    Finding.good(
                            "reach",
                            config.address() + " answers as " + config.user(),
                            "replicas decide nothing without it"));
            examine(patient, expectations, findings);
        } catch (SQLException e) {
            findings.add(unreachable(config, e));
        }
        return findings;
    }

    private void examine(Patient patient, Expectations expectations, List<Finding> findings) {
        run("version", patient, findings, ServerChecks::version);
        run("standby", patient, findings, ServerChecks::standby);
        run("shared-truth", patient, findings, DeliveryChecks::sharedTruth);
        run("pooler", patient, findings, DeliveryChecks::pooler);
        run(
                "notify",
                patient,
                findings,
                (p, found) -> DeliveryChecks.notifications(p, nanos, found));
        run("clock", patient, findings, (p, found) -> DeliveryChecks.clock(p, wall, nanos, found));
        run("durability", patient, findings, ServerChecks::durability);
        run("snapshots", patient, findings, ServerChecks::snapshots);
        run("schema", patient, findings, ClusterChecks::schema);
        if (findings.stream().anyMatch(f -> f.check().equals("schema-missing"))) {
            return;
        }
        run("role", patient, findings, ClusterChecks::role);
        run(
                "connections",
                patient,
                findings,
                (p, found) -> ClusterChecks.connections(p, expectations, found));
        run("partitions", patient, findings, ClusterChecks::partitions);
        run("replicas", patient, findings, ClusterChecks::replicas);
    }

    private static void run(String name, Patient patient, List<Finding> findings, Check check) {
        try {
            check.look(patient, findings);
        } catch (SQLException e) {
            findings.add(
                    Finding.warning(
                            name,
                            "could not be looked at: " + e.getMessage(),
                            "what is not known may be wrong",
                            "give doctor a role that may see it, such as the operator's"));
        }
    }

    private static Finding unreachable(DatabaseConfig config, SQLException e) {
        String state = String.valueOf(e.getSQLState());
        String action =
                switch (state) {
                    case "28P01", "28000" -> "check user and password, and pg_hba.conf";
                    case "3D000" -> "create the database, or correct its name in the URL";
                    case "53300" -> "raise max_connections, or end what holds the connections";
                    default -> "check the URL, the network and that the server runs";
                };
        return Finding.error(
                "reach",
                config.address()
                        + " as "
                        + config.user()
                        + ": "
                        + e.getMessage()
                        + " ("
                        + SqlStates.classify(e)
                        + ")",
                "replicas refuse everything while they cannot reach it",
                action);
    }
}

package io.penstock.cluster.doctor;

import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.schema.SchemaState;
import java.sql.SQLException;
import java.util.List;

/** The schema, who asks, and what the replicas say of themselves. */
final class ClusterChecks {
    private static final String MIGRATE = "run: penstock migrate, with the owner's credential";

    private ClusterChecks() {}

    static void schema(Patient patient, List<Finding> findings) throws SQLException {
        String why = "programs and schema of neighbouring versions run side by side, no others";
        findings.add(
                switch (Migrations.state(patient.one())) {
                    case SchemaState.Absent absent ->
                            Finding.error(
                                    "schema-missing",
                                    "there is no schema; this program needs version "
                                            + absent.expected(),
                                    why,
                                    MIGRATE);
                    case SchemaState.Current current ->
                            Finding.good("schema", "version " + current.version(), why);
                    case SchemaState.Older older ->
                            Finding.error(
                                    "schema",
                                    "version "
                                            + older.found()
                                            + ", this program needs "
                                            + older.expected(),
                                    why,
                                    MIGRATE);
                    case SchemaState.Newer newer -> newer(newer, why);
                });
    }

    private static Finding newer(SchemaState.Newer newer, String why) {
        String what =
                "version " + newer.found() + ", this program was built for " + newer.expected();
        return newer.compatible()
                ? Finding.warning("schema", what, why, "upgrade this replica soon")
                : Finding.error("schema", what, why, "upgrade this program");
    }

    static void role(Patient patient, List<Finding> findings) throws SQLException {
        String user = String.valueOf(patient.text("select current_user"));
        boolean powerful =
                patient.truth("select rolsuper from pg_roles where rolname = current_user");
        boolean gateway = patient.truth(member("penstock_gateway"));
        boolean operator = patient.truth(member("penstock_operator"));
        String why = "a gateway that is taken over must not lift a stop or rewrite the journal";
        if (powerful) {
            findings.add(
                    Finding.warning(
                            "role",
                            user + " is a superuser",
                            why,
                            "give replicas a login that is only in penstock_gateway"));
        } else if (gateway && operator) {
            findings.add(
                    Finding.warning(
                            "role",
                            user + " is both gateway and operator",
                            why,
                            "use two logins, one in each group"));
        } else if (gateway || operator) {
            findings.add(Finding.good("role", user + (gateway ? ": gateway" : ": operator"), why));
        } else {
            findings.add(
                    Finding.error(
                            "role",
                            user + " is neither in penstock_gateway nor in penstock_operator",
                            why,
                            "grant penstock_gateway to " + user));
        }
        if (patient.truth(
                "select has_database_privilege('penstock_gateway', current_database(), 'TEMP')")) {
            findings.add(
                    Finding.warning(
                            "role",
                            "gateways may make temporary objects in this database",
                            "functions with their owner's rights look types up there first",
                            "as the database's owner: revoke temporary on database "
                                    + patient.text("select quote_ident(current_database())")
                                    + " from public"));
        }
    }

    private static String member(String group) {
        return "select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = '"
                + group
                + "'";
    }

    static void connections(Patient patient, Expectations expected, List<Finding> findings)
            throws SQLException {
        long there = patient.number("select count(*) from penstock.registered");
        long replicas = Math.max(expected.replicas(), Math.max(1, there));
        int each = expected.connectionsEach(patient.config().poolSize());
        long needed = replicas * each;
        long allowed =
                patient.number(
                        """
                        select least(
                            current_setting('max_connections')::int
                                - current_setting('superuser_reserved_connections')::int,
                            (select coalesce(nullif(d.datconnlimit, -1), 1000000)
                               from pg_database d where d.datname = current_database()),
                            (select coalesce(nullif(r.rolconnlimit, -1), 1000000)
                               from pg_roles r where r.rolname = current_user))
                        """);
        String what =
                replicas + " replicas of " + each + " connections, " + allowed + " are allowed";
        String why = "a replica without its connections refuses calls";
        findings.add(
                needed < allowed
                        ? Finding.good("connections", what, why)
                        : Finding.error(
                                "connections",
                                what,
                                why,
                                "raise max_connections above "
                                        + (needed + 10)
                                        + ", or lower admission.lanes and database.pool-size"));
    }

    static void partitions(Patient patient, List<Finding> findings) throws SQLException {
        long hours =
                patient.number(
                        "select coalesce(floor(extract(epoch from until - clock_timestamp()) /"
                                + " 3600), -1)::bigint from penstock.journal_reach");
        String what = "journal partitions reach " + hours + " h ahead";
        String why = "without a partition for its day no call can be admitted";
        findings.add(
                hours >= 24
                        ? Finding.good("partitions", what, why)
                        : Finding.error(
                                "partitions",
                                what,
                                why,
                                "see that a replica runs and leads the duty 'partitions'; at once:"
                                        + " select penstock.partitions_ahead_v1(3)"));
    }

    static void replicas(Patient patient, List<Finding> findings) throws SQLException {
        String why = "replicas that differ answer differently";
        differ(
                patient,
                findings,
                "versions",
                "select version || ': ' || string_agg(replica, ', ' order by replica) from"
                    + " penstock.status where state <> 'gone' group by version order by version",
                "finish the upgrade");
        differ(
                patient,
                findings,
                "configurations",
                "select left(config_hash, 8) || ': ' || string_agg(replica, ', ' order by replica)"
                    + " from penstock.status where state <> 'gone' group by config_hash order by"
                    + " config_hash",
                "give all replicas the same servers, limits and key files");
        List<String> degraded =
                patient.column(
                        "select replica from penstock.status where degraded and state <> 'gone'"
                                + " order by replica");
        if (!degraded.isEmpty()) {
            findings.add(
                    Finding.warning(
                            "replicas",
                            "notifications do not reach " + String.join(", ", degraded),
                            "they learn of a stop by polling",
                            "connect them to Postgres itself"));
        }
        long there = patient.number("select count(*) from penstock.registered");
        findings.add(Finding.good("replicas", there + " registered", why));
    }

    private static void differ(
            Patient patient, List<Finding> findings, String what, String sql, String action)
            throws SQLException {
        List<String> groups = patient.column(sql);
        if (groups.size() > 1) {
            findings.add(
                    Finding.warning(
                            "replicas",
                            groups.size() + " " + what + ": " + String.join("; ", groups),
                            "replicas that differ answer differently",
                            action));
        }
    }
}

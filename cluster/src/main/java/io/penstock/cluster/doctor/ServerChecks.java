package io.penstock.cluster.doctor;

import java.sql.SQLException;
import java.util.List;

/** The server itself: version, role in replication, durability, old snapshots. */
final class ServerChecks {
    private static final int VERSION_MIN = 15;
    private static final long SNAPSHOT_SECONDS_MAX = 300;

    private ServerChecks() {}

    static void version(Patient patient, List<Finding> findings) throws SQLException {
        long version = patient.number("select current_setting('server_version_num')") / 10_000;
        String why = "the schema's functions need it; tested on 15 and 18";
        findings.add(
                version >= VERSION_MIN
                        ? Finding.good("version", "Postgres " + version, why)
                        : Finding.error(
                                "version",
                                "Postgres " + version,
                                why,
                                "use Postgres " + VERSION_MIN + " or newer"));
    }

    static void standby(Patient patient, List<Finding> findings) throws SQLException {
        String why = "beats, admissions and stops are writes";
        if (patient.truth("select pg_is_in_recovery()")) {
            findings.add(
                    Finding.error(
                            "standby",
                            "a read-only standby answers",
                            why,
                            "point the URL at the primary, or name all hosts and"
                                    + " targetServerType=primary"));
            return;
        }
        if ("on".equals(patient.text("select current_setting('transaction_read_only')"))) {
            findings.add(
                    Finding.error(
                            "standby",
                            "transactions are read-only by default",
                            why,
                            "set default_transaction_read_only off for this database and role"));
            return;
        }
        findings.add(Finding.good("standby", "a primary that takes writes", why));
    }

    static void durability(Patient patient, List<Finding> findings) throws SQLException {
        boolean safe = true;
        for (String setting : List.of("fsync", "full_page_writes")) {
            if (!"on".equals(patient.text("select current_setting('" + setting + "')"))) {
                safe = false;
                findings.add(
                        Finding.error(
                                "durability",
                                setting + " is off",
                                "a crash can lose admissions that were answered, and with them"
                                        + " units that were spent; a stop can be lost as well",
                                "set " + setting + " = on and restart the server"));
            }
        }
        String commit =
                String.valueOf(patient.text("select current_setting('synchronous_commit')"));
        if (!commit.equals("on") && !commit.equals("remote_apply")) {
            findings.add(
                    Finding.warning(
                            "durability",
                            "synchronous_commit is " + commit,
                            "penstock raises it for what must last, other sessions of this role"
                                    + " are answered before they are durable",
                            "set synchronous_commit = on"));
        }
        if (safe) {
            boolean standbys =
                    patient.truth("select current_setting('synchronous_standby_names') <> ''");
            String why = "says what an answered admission or stop survives";
            findings.add(
                    standbys
                            ? Finding.good(
                                    "durability", "failover-safe: commits wait for a standby", why)
                            : Finding.good(
                                    "durability",
                                    "crash-safe: commits are on this server's disk, not on a"
                                            + " standby",
                                    why));
        }
    }

    static void snapshots(Patient patient, List<Finding> findings) throws SQLException {
        long seconds =
                patient.number(
                        """
                        select coalesce(max(extract(epoch from clock_timestamp() - a.xact_start)), 0)::bigint
                          from pg_stat_activity a
                         where a.backend_type = 'client backend' and a.xact_start is not null
                           and a.pid <> pg_backend_pid()
                        """);
        long prepared =
                patient.number(
                        "select count(*) from pg_prepared_xacts"
                                + " where prepared < clock_timestamp() - interval '5 min'");
        long slots =
                patient.number(
                        "select count(*) from pg_replication_slots where not active and"
                                + " (xmin is not null or catalog_xmin is not null)");
        String why = "counters are updated in place, and every old snapshot makes them slower";
        String what =
                "oldest transaction "
                        + seconds
                        + " s, "
                        + prepared
                        + " prepared, "
                        + slots
                        + " abandoned slots";
        findings.add(
                seconds <= SNAPSHOT_SECONDS_MAX && prepared == 0 && slots == 0
                        ? Finding.good("snapshots", what, why)
                        : Finding.warning(
                                "snapshots",
                                what,
                                why,
                                "end the transaction (pg_stat_activity.xact_start), roll back the"
                                        + " prepared one, or drop the slot"));
    }
}

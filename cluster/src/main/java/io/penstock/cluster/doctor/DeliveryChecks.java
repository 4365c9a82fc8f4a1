package io.penstock.cluster.doctor;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.postgresql.PGConnection;

/** What lies between here and the server: another server, a pooler, late news, another clock. */
final class DeliveryChecks {
    private static final String IDENTITY =
            """
            select s.system_identifier || '/' || d.oid
              from pg_control_system() s, pg_database d where d.datname = current_database()
            """;
    private static final int NOTIFY_WAIT_MILLIS = 2_000;
    private static final long NOTIFY_GOOD_MILLIS = 250;
    private static final long CLOCK_MILLIS_MAX = 100;

    private DeliveryChecks() {}

    static void sharedTruth(Patient patient, List<Finding> findings) throws SQLException {
        String one = Patient.text(patient.one(), IDENTITY);
        String other = Patient.text(patient.other(), IDENTITY);
        String why = "replicas that count in two databases admit twice the limit";
        findings.add(
                Objects.equals(one, other)
                        ? Finding.good("shared-truth", "two connections, one database", why)
                        : Finding.error(
                                "shared-truth",
                                "two connections reach two databases: " + one + " and " + other,
                                why,
                                "take the load balancer out, or name one primary in the URL"));
    }

    /** A pooler hands server sessions from one client to another between transactions. */
    static void pooler(Patient patient, List<Finding> findings) throws SQLException {
        String pid = "select pg_backend_pid()";
        String first = Patient.text(patient.one(), pid);
        String other = Patient.text(patient.other(), pid);
        String again = Patient.text(patient.one(), pid);
        int told = patient.one().unwrap(PGConnection.class).getBackendPID();
        boolean direct =
                Objects.equals(first, again)
                        && !Objects.equals(first, other)
                        && Integer.toString(told).equals(first);
        String why = "a session's notifications and time limits must stay with it";
        findings.add(
                direct
                        ? Finding.good("pooler", "nothing between here and the server", why)
                        : Finding.error(
                                "pooler",
                                "a transaction pooler is in the way (backend "
                                        + told
                                        + ", then "
                                        + first
                                        + ", then "
                                        + again
                                        + ")",
                                why,
                                "connect replicas to Postgres itself; they bound their own"
                                        + " connections"));
    }

    static void notifications(Patient patient, LongSupplier nanos, List<Finding> findings)
            throws SQLException {
        String channel = "penstock_doctor_" + patient.text("select pg_backend_pid()");
        try (Statement s = patient.one().createStatement()) {
            s.execute("listen " + channel);
        }
        boolean own = delivered(patient.one(), patient.one(), channel);
        long before = nanos.getAsLong();
        boolean fromOther = delivered(patient.other(), patient.one(), channel);
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - before);
        try (Statement s = patient.one().createStatement()) {
            s.execute("unlisten " + channel);
        }
        String why = "a stop reaches the replicas this way; without it they poll";
        if (fromOther && millis <= NOTIFY_GOOD_MILLIS) {
            findings.add(
                    Finding.good("notify", "arrives from another session, " + millis + " ms", why));
        } else if (fromOther) {
            findings.add(
                    Finding.warning(
                            "notify",
                            "takes " + millis + " ms from another session",
                            why,
                            "look at the load of the server and of this machine"));
        } else {
            findings.add(
                    Finding.warning(
                            "notify",
                            own
                                    ? "arrives from the own session only, not from another"
                                    : "does not arrive",
                            why,
                            "connect to Postgres itself, without pooler or proxy"));
        }
    }

    private static boolean delivered(Connection from, Connection to, String channel)
            throws SQLException {
        try (Statement s = from.createStatement()) {
            s.execute("notify " + channel);
        }
        PGConnection listener = to.unwrap(PGConnection.class);
        return listener.getNotifications(NOTIFY_WAIT_MILLIS).length > 0;
    }

    static void clock(
            Patient patient, InstantSource wall, LongSupplier nanos, List<Finding> findings)
            throws SQLException {
        long sent = nanos.getAsLong();
        Instant server;
        try (Statement s = patient.one().createStatement();
                ResultSet row = s.executeQuery("select clock_timestamp()")) {
            row.next();
            server = row.getObject(1, OffsetDateTime.class).toInstant();
        }
        Instant here = wall.instant();
        long roundTrip = nanos.getAsLong() - sent;
        Duration offset = Duration.between(server.plusNanos(roundTrip / 2), here);
        String what =
                "this machine is "
                        + Math.abs(offset.toMillis())
                        + " ms "
                        + (offset.isNegative() ? "behind" : "ahead of")
                        + " the database";
        String why = "windows and Penstock-Not-After follow the database's clock, logs do not";
        findings.add(
                Math.abs(offset.toMillis()) <= CLOCK_MILLIS_MAX
                        ? Finding.good("clock", what, why)
                        : Finding.warning(
                                "clock", what, why, "run a time service on both machines"));
    }
}

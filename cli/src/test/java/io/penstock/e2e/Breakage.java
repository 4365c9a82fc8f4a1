package io.penstock.e2e;

import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A cluster that is wrong on purpose, so that a test can show that it would see the fault: one of
 * the functions in the test's own database is changed, and the replicas run as they are.
 */
enum Breakage {
    ONE_UNIT_TOO_MANY(
            "admit_v1",
            "begin\n    if",
            "begin\n    p_limits := array(select l + 1 from unnest(p_limits) l);\n    if"),
    ONE_UNIT_TOO_FEW(
            "admit_v1",
            "begin\n    if",
            "begin\n    p_limits := array(select l - 1 from unnest(p_limits) l);\n    if"),
    /** Replicas hear of the stop, install an epoch without it, and acknowledge. */
    STOP_WITHOUT_EFFECT(
            "control_state_v2",
            "from penstock.stop s where s.changed > p_installed",
            "from penstock.stop s where false"),
    /** Replicas trust for ten seconds, and operators wait for one. */
    LEASE_WITHOUT_END(
            "beat_v1",
            "greatest(lease_ms, p_trusting_ms)",
            "1000",
            "fenced := not found;",
            "fenced := not found; lease_ms := 10000;"),
    /** A leader writes whether or not its term is over. */
    TERM_NOT_CHECKED("hold_duty_v1", "if not found then", "if false then"),
    /** Not a fault: nothing rests on it. */
    NOTIFY_LOST(
            "stop_and_wait", "perform pg_catalog.pg_notify('penstock_control', epoch::text);", "");

    private final String function;
    private final List<String> changes;

    /**
     * @param changes what stands there, and what shall stand there, in turn
     */
    Breakage(String function, String... changes) {
        this.function = function;
        this.changes = List.of(changes);
    }

    void apply(Gate gate) {
        TestDatabase database = gate.database();
        try (Connection connection = database.connectAsSuperuser();
                PreparedStatement read =
                        connection.prepareStatement(
                                "select pg_get_functiondef(oid) from pg_proc where"
                                        + " pronamespace = 'penstock'::regnamespace and proname ="
                                        + " ?");
                Statement change = connection.createStatement()) {
            read.setString(1, function);
            String body;
            try (ResultSet result = read.executeQuery()) {
                if (!result.next()) throw new AssertionError("no function " + function);
                body = result.getString(1);
            }
            for (int i = 0; i < changes.size(); i += 2) {
                String right = changes.get(i);
                if (body.split(Pattern.quote(right), -1).length != 2) {
                    throw new AssertionError(function + " has not once: " + right);
                }
                body = body.replace(right, changes.get(i + 1));
            }
            change.execute(body);
        } catch (SQLException e) {
            throw new AssertionError("cannot break " + function, e);
        }
    }
}

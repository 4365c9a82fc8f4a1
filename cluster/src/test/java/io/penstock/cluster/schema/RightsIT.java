package io.penstock.cluster.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends SQL under the roles themselves: what a gateway that was taken over could do. */
class RightsIT {
    private static final TestDatabase DATABASE = TestDatabase.fresh();

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Test
    void gateway_everyTable_isOutOfReach() throws Exception {
        noTableRights("penstock_gateway");
    }

    @Test
    void operator_everyTable_isOutOfReach() throws Exception {
        noTableRights("penstock_operator");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update penstock.journal set code = 'x'",
                "delete from penstock.journal",
                "truncate penstock.journal",
                "select count(*) from penstock.journal",
                "select count(*) from penstock.journal_entries",
                "insert into penstock.journal (at, kind) values (now(), 'control')",
                "select penstock.make_partition(current_date)",
                "select penstock.journal_floor_v1('1 day')",
                "update penstock.control set epoch = 0",
                "update penstock.counter set used = 0",
                "select sha256 from penstock.agent_key",
                "select * from penstock.agent_keys",
                "select penstock.new_key_v1('k', repeat('a', 64), 't', 'a', null)",
                "select penstock.revoke_key_v1('k', null, null)",
                "select penstock.rotate_seal_keys_v1(null)",
                "select penstock.apply_revision_v1(0, '{\"leaseMillis\":1000}', null, null)",
                "select penstock.next_revision(0, '{\"leaseMillis\":1000}', null, null)",
                "select penstock.adopt_revision_v1(0, 1, 1000)",
                "select penstock.keys_changed_v1()",
                "select secret from penstock.seal_key",
                "select penstock.resume_v1(array[gen_random_uuid()], 'x', 'x')",
                "select penstock.reset_counters_v1('b', '{}', null)",
                "select penstock.reset_done_v1('b', '{}', 'x', 'x')",
                "call penstock.resume(gen_random_uuid(), 'x')",
                "create table penstock.mine (x int)",
                "create temporary table mine (x int)",
                "create schema mine",
                "drop view penstock.status"
            })
    void gateway_whatIsNotItsWork_isDenied(String sql) throws Exception {
        try (Connection c = DATABASE.connectAsGateway()) {
            denied(c, sql);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "update penstock.journal set code = 'x'",
                "delete from penstock.journal",
                "delete from penstock.revision",
                "select secret from penstock.seal_key",
                "select * from penstock.seal_keys_v1()",
                "select penstock.partitions_ahead_v1(3)",
                "select penstock.journal_retention_v1('30 days')",
                "update penstock.control set epoch = 0"
            })
    void operator_whatIsNotItsWork_isDenied(String sql) throws Exception {
        try (Connection c = DATABASE.connectAsOperator()) {
            denied(c, sql);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from penstock.schema_version",
                "select * from penstock.cluster",
                "select * from penstock.status",
                "select * from penstock.revisions",
                "select * from penstock.valid_keys",
                "select * from penstock.journal_reach",
                "select * from penstock.budget_usage",
                "select * from penstock.seal_keys_v1()",
                "select penstock.partitions_ahead_v1(3)",
                "select penstock.journal_retention_v1('30 days')"
            })
    void gateway_itsWork_isAllowed(String sql) throws Exception {
        try (Connection c = DATABASE.connectAsGateway();
                Statement s = c.createStatement()) {
            assertThatCode(() -> s.execute(sql)).doesNotThrowAnyException();
        }
    }

    /** What an operator did is written by the functions that do it, never told by a replica. */
    @ParameterizedTest
    @ValueSource(strings = {"stop", "resume", "block", "unblock", "key-new", "revision"})
    void gateway_controlEntryOfAnOperatorsDeed_isRefused(String code) throws Exception {
        try (Connection c = DATABASE.connectAsGateway();
                Statement s = c.createStatement()) {
            assertThatThrownBy(() -> s.execute(refusal("control", code, "0")))
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("22023");
        }
    }

    @Test
    void gateway_refusalWithNegativeAge_isNotDatedInTheFuture() throws Exception {
        try (Connection gateway = DATABASE.connectAsGateway();
                Statement s = gateway.createStatement()) {
            s.execute(refusal("refusal", "from-the-future", "-86400000000"));
        }
        try (Connection c = DATABASE.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet row =
                        s.executeQuery(
                                "select bool_and(at <= clock_timestamp()), count(*) from"
                                        + " penstock.journal where code = 'from-the-future'")) {
            row.next();
            assertThat(row.getBoolean(1)).isTrue();
            assertThat(row.getLong(2)).isEqualTo(1);
        }
    }

    /** The name that a caller gives itself is written, and beside it the login that cannot lie. */
    @Test
    void gateway_stopInAnotherName_isJournaledWithItsLogin() throws Exception {
        String login;
        try (Connection gateway = DATABASE.connectAsGateway();
                Statement s = gateway.createStatement()) {
            s.execute("set search_path = pg_temp, public, penstock, pg_catalog");
            s.execute(
                    "select penstock.give_stop_v1(array[gen_random_uuid()], array['server'],"
                            + " array['forged'], 'why', 'the-director', false, true)");
            login = gateway.getMetaData().getUserName();
        }
        try (Connection c = DATABASE.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet row =
                        s.executeQuery(
                                "select detail ->> 'login', reason, at <= clock_timestamp() from"
                                        + " penstock.journal where actor = 'the-director'")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo(login);
            assertThat(row.getString(2)).isEqualTo("why");
            assertThat(row.getBoolean(3)).isTrue();
        }
    }

    private static String refusal(String kind, String code, String age) {
        return "select penstock.refusals_v1(gen_random_uuid(), 1, gen_random_uuid(), array['"
                + kind
                + "'], array["
                + age
                + "]::bigint[], array[null]::uuid[], array['t'], array['a'], array['s'],"
                + " array['x'], array['"
                + code
                + "'], array[null]::text[], array[1]::bigint[], array['r'])";
    }

    /** A function that runs with its owner's rights must not find names that its caller made. */
    @Test
    void definerFunctions_nobodyElse_canMakeTemporaryObjects() throws Exception {
        try (Connection c = DATABASE.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet row =
                        s.executeQuery(
                                """
                                select has_database_privilege('penstock_gateway', current_database(), 'TEMP')
                                    or has_database_privilege('penstock_operator', current_database(), 'TEMP')
                                    or has_schema_privilege('penstock_gateway', 'penstock', 'CREATE')
                                """)) {
            row.next();
            assertThat(row.getBoolean(1)).isFalse();
        }
    }

    private static void noTableRights(String role) throws SQLException {
        List<String> reachable = new ArrayList<>();
        try (Connection c = DATABASE.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet rows =
                        s.executeQuery(
                                "select c.oid::regclass from pg_class c where c.relnamespace ="
                                    + " 'penstock'::regnamespace and c.relkind in ('r', 'p', 'S')"
                                    + " and case when c.relkind = 'S' then has_sequence_privilege('"
                                        + role
                                        + "', c.oid, 'USAGE, SELECT, UPDATE') else"
                                        + " has_table_privilege('"
                                        + role
                                        + "', c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')"
                                        + " end")) {
            while (rows.next()) {
                reachable.add(rows.getString(1));
            }
        }
        assertThat(reachable).isEmpty();
    }

    private static void denied(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            assertThatThrownBy(() -> s.execute(sql))
                    .isInstanceOf(SQLException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("42501");
        }
    }
}

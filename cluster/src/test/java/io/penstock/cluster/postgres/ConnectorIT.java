package io.penstock.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ConnectorIT {
    @Test
    void open_lane_hasTheProtocolsLimits() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection c = new Connector(database.gateway()).open(Purpose.LANE)) {
            assertThat(setting(c, "application_name")).isEqualTo("penstock-lane");
            assertThat(setting(c, "client_connection_check_interval")).isEqualTo("100ms");
            assertThat(setting(c, "timezone")).isEqualTo("UTC");
            if (c.getMetaData().getDatabaseMajorVersion() >= 17) {
                assertThat(setting(c, "transaction_timeout")).isEqualTo("2s");
            }
        }
    }

    @Test
    void open_oldestSupportedServer_works() throws Exception {
        Assumptions.assumeTrue(DebianPostgres15.available());
        try (TestDatabase database = DebianPostgres15.fresh();
                Connection c = new Connector(database.gateway()).open(Purpose.LANE)) {
            assertThat(setting(c, "client_connection_check_interval")).isEqualTo("100ms");
        }
    }

    /** A URL may not take the limits away that the lease rests on. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void open_looserLimitsInTheUrl_areIgnored() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            DatabaseConfig loose =
                    new DatabaseConfig(
                            database.gateway().url() + "?socketTimeout=0&ApplicationName=x",
                            database.gateway().user(),
                            database.gateway().password(),
                            1);
            try (Connection c = new Connector(loose).open(Purpose.LEASE);
                    Statement s = c.createStatement()) {
                // Otherwise the server ends the statement before the socket does.
                if (c.getMetaData().getDatabaseMajorVersion() >= 17) {
                    s.execute("set transaction_timeout = 0");
                }
                long before = System.nanoTime();

                assertThatThrownBy(() -> s.execute("select pg_sleep(30)"))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e ->
                                        assertThat(SqlStates.classify(e))
                                                .isEqualTo(SqlStates.Failure.UNKNOWN));

                assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(15));
            }
        }
    }

    /** Through the sockets of {@link WholeMessageSocketFactory}. */
    @Test
    void open_lane_carriesALargeBatch() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection c = new Connector(database.gateway()).open(Purpose.LANE);
                PreparedStatement s = c.prepareStatement("select length(?)")) {
            s.setString(1, "x".repeat(1_500_000));
            try (ResultSet row = s.executeQuery()) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(1_500_000);
            }
        }
    }

    /** A wait for the standby that is cut short is reported as success, with a warning. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void commit_waitForStandbyCutShort_isUnknown() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.temporary())) {
            Connector connector = new Connector(server.owner());
            try (Connection admin = connector.open(Purpose.MIGRATE);
                    Statement s = admin.createStatement()) {
                s.execute("create table public.t (x int)");
                s.execute("alter system set synchronous_standby_names = 'nobody'");
                s.execute("select pg_reload_conf()");
            }
            try (Connection c = connector.open(Purpose.MIGRATE);
                    Connection killer = connector.open(Purpose.MIGRATE)) {
                int pid = backend(c);
                Thread cancel = Thread.ofPlatform().start(() -> cancelSyncWait(killer, pid));

                int known = commitsUntilUnknown(c);

                cancel.join();
                assertThat(c.isClosed()).isTrue();
                assertThat(count(killer)).isEqualTo(known + 1);
            }
        }
    }

    /** The server takes the setting up some moments after it was told to. */
    private static int commitsUntilUnknown(Connection c) throws Exception {
        for (int known = 0; known < 1_000; known++) {
            try {
                Transactions.run(c, ConnectorIT::insert);
            } catch (SQLException e) {
                assertThat(SqlStates.classify(e)).isEqualTo(SqlStates.Failure.UNKNOWN);
                return known;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("the server never waited for its standby");
    }

    @Test
    void run_workThatFails_isRolledBackAndTheConnectionStays() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement()) {
            s.execute("create table public.t (x int)");

            assertThatThrownBy(
                            () ->
                                    Transactions.run(
                                            c,
                                            inside -> {
                                                insert(inside);
                                                throw new SQLException("no", "22000");
                                            }))
                    .hasMessage("no");

            assertThat(count(c)).isZero();
            Transactions.run(c, ConnectorIT::insert);
            assertThat(count(c)).isEqualTo(1);
        }
    }

    @Test
    void query_pool_isBoundedAndRecovers() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Pool pool =
                        new Pool(
                                new Connector(
                                        new DatabaseConfig(
                                                database.gateway().url(),
                                                database.gateway().user(),
                                                database.gateway().password(),
                                                2)))) {
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(
                                () -> pool.query(db -> db.execute().get("select 1 from nowhere")))
                        .isInstanceOf(Pool.PoolException.class);
            }
            for (int i = 0; i < 5; i++) {
                assertThat(
                                pool.<Integer>query(
                                        db ->
                                                db.execute()
                                                        .get("select 41 + 1 as answer")
                                                        .orElseThrow()
                                                        .column("answer")
                                                        .get(Integer.class)))
                        .isEqualTo(42);
            }
            assertThat(pool.open()).isLessThanOrEqualTo(2);
        }
    }

    private static Void insert(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("insert into public.t values (1)");
        }
        return null;
    }

    private static void cancelSyncWait(Connection killer, int pid) {
        try (Statement s = killer.createStatement()) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (System.nanoTime() < deadline) {
                try (ResultSet row =
                        s.executeQuery(
                                "select pg_cancel_backend(pid) from pg_stat_activity where pid = "
                                        + pid
                                        + " and wait_event = 'SyncRep'")) {
                    if (row.next()) {
                        return;
                    }
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static int backend(Connection c) throws SQLException {
        return Integer.parseInt(text(c, "select pg_backend_pid()"));
    }

    private static long count(Connection c) throws SQLException {
        return Long.parseLong(text(c, "select count(*) from public.t"));
    }

    private static String setting(Connection c, String name) throws SQLException {
        return text(c, "show " + name);
    }

    private static String text(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}

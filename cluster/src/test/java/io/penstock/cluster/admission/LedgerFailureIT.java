package io.penstock.cluster.admission;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static io.penstock.budget.Batches.decided;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.budget.Batch;
import io.penstock.budget.Batches;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.BudgetLedger.Answer;
import io.penstock.budget.BudgetLedger.Failed;
import io.penstock.budget.BudgetLedger.Resolved;
import io.penstock.budget.BudgetLedger.Unknown;
import io.penstock.budget.Counter;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the ledger says when the database does not do as asked. */
final class LedgerFailureIT {
    private final Counter counter = counter("b", 10);

    @RegisterExtension static final PostgresLedgers LEDGERS = new PostgresLedgers();

    private Batch batch(long seq) {
        return new Batches().add(2, claim(counter)).build(seq, LEDGERS.fixture().epoch());
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }

    @Test
    void admit_backendKilledBefore_isUnknownAndResolvesToNothing() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();
        Batch sent = batch(1);
        try (BudgetLedger lane =
                PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0)) {
            kill(connection);

            assertThat(lane.admit(sent)).isInstanceOf(Unknown.class);
        }
        try (BudgetLedger again = LEDGERS.fixture().lane(0)) {
            assertThat(again.resolve(sent)).isEqualTo(new Resolved(false));
            assertThat(LEDGERS.fixture().used(counter)).isZero();
            assertThat(decided(again.admit(batch(2))).admitted()).containsExactly(2);
        }
    }

    private static void kill(Connection victim) throws SQLException {
        int pid;
        try (Statement s = victim.createStatement();
                ResultSet row = s.executeQuery("select pg_backend_pid()")) {
            row.next();
            pid = row.getInt(1);
        }
        try (Connection c = LEDGERS.database().connectAsSuperuser()) {
            execute(c, "select pg_terminate_backend(" + pid + ", 5000)");
        }
    }

    @Test
    void admit_readOnlySession_failsAndAsksForAnotherConnection() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();
        try (BudgetLedger lane =
                PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0)) {
            execute(connection, "set default_transaction_read_only = on");

            assertThat(lane.admit(batch(1)))
                    .isInstanceOfSatisfying(Failed.class, f -> assertThat(f.reconnect()).isTrue());
        }
    }

    @Test
    void open_readOnlyDatabase_isAnErrorAndClosesTheConnection() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();
        execute(connection, "set default_transaction_read_only = on");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0))
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("25006"));
        assertThat(connection.isClosed()).isTrue();
    }

    @Test
    void admit_repeatableRead_failsAndChargesNothing() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();
        try (BudgetLedger lane =
                PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0)) {
            execute(connection, "set default_transaction_isolation = 'repeatable read'");

            assertThat(lane.admit(batch(1))).isInstanceOf(Failed.class);
            execute(connection, "reset default_transaction_isolation");
            assertThat(decided(lane.admit(batch(1))).admitted()).containsExactly(2);
        }
        assertThat(LEDGERS.fixture().used(counter)).isEqualTo(2);
    }

    /** The same number again: an error used nothing up. */
    @Test
    void admit_errorInside_chargesNothingAndTheNumberIsFree() {
        LEDGERS.fixture().execute("alter table penstock.journal rename to journal_away");
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            assertThat(lane.admit(batch(1))).isInstanceOf(Failed.class);
            assertThat(LEDGERS.fixture().used(counter)).isZero();

            LEDGERS.fixture().execute("alter table penstock.journal_away rename to journal");
            assertThat(decided(lane.admit(batch(1))).admitted()).containsExactly(2);
        }
    }

    @Test
    void admit_roleIsAsynchronous_commitsSynchronously() throws SQLException {
        LEDGERS.fixture().execute("create table if not exists penstock.seen (setting text)");
        LEDGERS.fixture()
                .execute(
                        """
                        create or replace function penstock.see() returns trigger language plpgsql
                        security definer as $$
                        begin
                            insert into penstock.seen values (current_setting('synchronous_commit'));
                            return new;
                        end $$
                        """);
        LEDGERS.fixture()
                .execute(
                        """
                        create or replace trigger see after insert on penstock.counter
                        for each row execute function penstock.see()
                        """);
        Connection connection = LEDGERS.fixture().connect();
        try (BudgetLedger lane =
                PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0)) {
            execute(connection, "set synchronous_commit = off");
            decided(lane.admit(batch(1)));
        } finally {
            LEDGERS.fixture().execute("drop trigger see on penstock.counter");
        }

        assertThat(
                        LEDGERS.fixture()
                                .number("select count(*) from penstock.seen where setting = 'on'"))
                .isEqualTo(1);
        LEDGERS.fixture().execute("drop table penstock.seen");
        LEDGERS.fixture().execute("drop function penstock.see()");
    }

    /** Each batch is a transaction of its own, over before the answer is here. */
    @Test
    void admit_decided_isCommittedAndHoldsNothing() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();
        try (BudgetLedger lane =
                PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0)) {
            decided(lane.admit(batch(1)));

            assertThat(connection.getAutoCommit()).isTrue();
            assertThat(LEDGERS.fixture().used(counter)).isEqualTo(2);
            assertThat(
                            LEDGERS.fixture()
                                    .number(
                                            "select count(*) from pg_locks where locktype ="
                                                    + " 'advisory'"))
                    .isZero();
        }
    }

    /** Something writes counters without their locks: nothing is admitted rather than too much. */
    @Test
    void admit_rowChangedBehindItsLock_failsAndChargesNothing() {
        LEDGERS.fixture()
                .execute(
                        """
                        create or replace function penstock.meddle() returns trigger language plpgsql as $$
                        begin
                            new.used := new.used + 20;
                            return new;
                        end $$
                        """);
        try (BudgetLedger lane = LEDGERS.fixture().lane(0)) {
            decided(lane.admit(batch(1)));
            LEDGERS.fixture()
                    .execute(
                            """
                            create trigger meddle before update on penstock.counter
                            for each row execute function penstock.meddle()
                            """);

            assertThat(lane.admit(batch(2)))
                    .isInstanceOfSatisfying(
                            Failed.class, f -> assertThat(f.reason()).contains("over their limit"));
        } finally {
            LEDGERS.fixture().execute("drop function penstock.meddle() cascade");
        }
        assertThat(LEDGERS.fixture().used(counter)).isEqualTo(2);
    }

    @Test
    void open_unknownIncarnation_isRefused() throws SQLException {
        Connection connection = LEDGERS.fixture().connect();

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> PostgresLedger.open(connection, UUID.randomUUID(), 0))
                .withMessageContaining("not beaten");
    }

    @Test
    void open_fencedOrClosedIncarnation_isOver() throws SQLException {
        LEDGERS.fixture()
                .execute(
                        "update penstock.replica set state = 'fenced' where incarnation = '"
                                + LEDGERS.fixture().incarnation
                                + "'");
        Connection connection = LEDGERS.fixture().connect();

        assertThatExceptionOfType(IncarnationOverException.class)
                .isThrownBy(
                        () -> PostgresLedger.open(connection, LEDGERS.fixture().incarnation, 0));
    }

    @Test
    void gatewayRole_tables_cannotBeTouched() throws SQLException {
        try (Connection c = LEDGERS.database().connectAsGateway()) {
            for (String sql :
                    new String[] {
                        "select * from penstock.counter",
                        "update penstock.counter set used = 0",
                        "delete from penstock.lane",
                        "select penstock.fence_lanes_v1(gen_random_uuid())"
                    }) {
                try (PreparedStatement s = c.prepareStatement(sql)) {
                    assertThatExceptionOfType(SQLException.class)
                            .as(sql)
                            .isThrownBy(s::execute)
                            .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("42501"));
                }
            }
        }
    }

    /**
     * A wait for a standby that is cut short says "committed" with a warning: nobody knows whether
     * the standby has it.
     */
    @Test
    void admit_waitForStandbyCancelled_isUnknownAndIsUndone() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.temporary());
                TestDatabase own = new TestServer(server.owner()).fresh();
                PostgresFixture here = new PostgresFixture(own);
                Connection admin = own.connectAsSuperuser();
                BudgetLedger lane = here.lane(0);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            Batch sent = new Batches().add(2, claim(counter)).build(1, here.epoch());
            standby(admin, "nobody");

            Future<Answer> answer = threads.submit(() -> lane.admit(sent));
            cancelWaiter(admin);

            assertThat(answer.get()).isInstanceOf(Unknown.class);
            standby(admin, "");
            assertThat(here.used(counter)).isEqualTo(2);
            assertThat(lane.resolve(sent)).isEqualTo(new Resolved(true));
            assertThat(here.used(counter)).isZero();
        }
    }

    private static void standby(Connection admin, String name) throws SQLException {
        execute(admin, "alter system set synchronous_standby_names = '" + name + "'");
        execute(admin, "select pg_reload_conf()");
    }

    private static void cancelWaiter(Connection admin) throws Exception {
        long end = System.nanoTime() + 2_500_000_000L;
        while (System.nanoTime() < end) {
            try (Statement s = admin.createStatement();
                    ResultSet row =
                            s.executeQuery(
                                    "select pg_cancel_backend(pid) from pg_stat_activity"
                                            + " where wait_event = 'SyncRep'")) {
                if (row.next()) {
                    return;
                }
            }
            Thread.sleep(5);
        }
        throw new AssertionError("nobody waits for a standby");
    }
}

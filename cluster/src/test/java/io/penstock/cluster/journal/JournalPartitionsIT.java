package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cluster.testing.DebianPostgres15;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class JournalPartitionsIT {
    @Test
    void migrate_firstPartitions_reachThreeDaysAhead() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection owner = database.connectAsOwner()) {
            assertThat(
                            text(
                                    owner,
                                    "select until = ((now() at time zone 'UTC')::date + 4)"
                                            + "::timestamp at time zone 'UTC'"
                                            + " from penstock.journal_reach"))
                    .isEqualTo("t");
            assertThat(partitions(owner)).hasSize(5);
        }
    }

    @Test
    void partitionsAhead_missingOnes_areMadeOnce() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            partitionsAhead(database);
        }
    }

    @Test
    void partitionsAhead_oldestSupportedServer_works() throws Exception {
        Assumptions.assumeTrue(DebianPostgres15.available());
        try (TestDatabase database = DebianPostgres15.fresh()) {
            partitionsAhead(database);
        }
    }

    private static void partitionsAhead(TestDatabase database) throws Exception {
        try (Connection gateway = database.connectAsGateway();
                Connection owner = database.connectAsOwner()) {
            assertThat(text(gateway, "select penstock.partitions_ahead_v1(5)")).isEqualTo("2");
            assertThat(text(gateway, "select penstock.partitions_ahead_v1(5)")).isEqualTo("0");
            assertThat(partitions(owner)).hasSize(7);
        }
    }

    /** A writer that is in the middle of a transaction is neither waited for nor disturbed. */
    @Test
    void partitionsAhead_whileAWriterIsOpen_doesNotWaitForIt() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection writer = database.connectAsOwner();
                Connection gateway = database.connectAsGateway()) {
            writer.setAutoCommit(false);
            execute(writer, "insert into penstock.journal (at, kind) values (now(), 'control')");

            assertThat(text(gateway, "select penstock.partitions_ahead_v1(4)")).isEqualTo("1");

            execute(writer, "insert into penstock.journal (at, kind) values (now(), 'control')");
            writer.commit();
        }
    }

    @Test
    void retention_partitionsThatAreOver_goInTwoSteps() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection owner = database.connectAsOwner();
                Connection gateway = database.connectAsGateway()) {
            execute(owner, "select penstock.make_partition((now() at time zone 'UTC')::date - 40)");
            execute(owner, "select penstock.make_partition((now() at time zone 'UTC')::date - 31)");
            execute(owner, "select penstock.make_partition((now() at time zone 'UTC')::date - 29)");
            execute(
                    owner,
                    "insert into penstock.journal (at, kind) values (now() - interval '29 days',"
                            + " 'control')");
            List<String> steps = new ArrayList<>();
            String step;
            while ((step = text(gateway, "select penstock.journal_retention_v1('30 days')"))
                    != null) {
                steps.add(step.substring(0, step.indexOf(' ')));
            }

            assertThat(steps).containsExactly("detached", "dropped", "detached", "dropped");
            assertThat(partitions(owner)).hasSize(6);
            assertThat(text(owner, "select count(*) from penstock.journal")).isEqualTo("1");
        }
    }

    /** The lock that a writer holds is not waited for long: the duty tries again later. */
    @Test
    void retention_writerHoldsThePartition_givesUpAndChangesNothing() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection owner = database.connectAsOwner();
                Connection gateway = database.connectAsGateway()) {
            execute(owner, "select penstock.make_partition((now() at time zone 'UTC')::date - 40)");
            owner.setAutoCommit(false);
            execute(owner, "insert into penstock.journal (at, kind) values (now(), 'control')");

            assertThatThrownBy(
                            () -> text(gateway, "select penstock.journal_retention_v1('30 days')"))
                    .isInstanceOf(SQLException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("55P03");
            owner.rollback();
            owner.setAutoCommit(true);

            assertThat(partitions(owner)).hasSize(6);
            assertThat(text(gateway, "select penstock.journal_retention_v1('30 days')"))
                    .startsWith("detached");
        }
    }

    @Test
    void retention_belowTheFloor_keepsWhatTheOperatorWants() throws Exception {
        try (TestDatabase database = TestDatabase.fresh();
                Connection owner = database.connectAsOwner();
                Connection operator = database.connectAsOperator();
                Connection gateway = database.connectAsGateway()) {
            execute(owner, "select penstock.make_partition((now() at time zone 'UTC')::date - 10)");
            execute(operator, "select penstock.journal_floor_v1('20 days')");

            assertThat(text(gateway, "select penstock.journal_retention_v1('0 days')")).isNull();
            assertThat(partitions(owner)).hasSize(6);
        }
    }

    private static List<String> partitions(Connection c) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Statement s = c.createStatement();
                ResultSet rows =
                        s.executeQuery(
                                "select inhrelid::regclass from pg_inherits"
                                        + " where inhparent = 'penstock.journal'::regclass")) {
            while (rows.next()) {
                names.add(rows.getString(1));
            }
        }
        return names;
    }

    private static String text(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }
}

package io.penstock.cluster.control;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.operator.Patience;
import io.penstock.cluster.operator.Progress;
import io.penstock.cluster.operator.Result;
import io.penstock.cluster.operator.StopReport;
import io.penstock.cluster.operator.StopSwitch;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A standby is promoted that lacks the last commit of the primary: one that no operator was told of
 * as done, but that replicas may have read (a primary that restarts shows what it had not yet
 * replicated).
 */
class FailoverIT {
    @TempDir private Path folder;

    @Test
    void failover_losesAnEpochThatAStopGetsAgain_theStopHolds() throws Exception {
        Path primary = folder.resolve("primary");
        Path standby = folder.resolve("standby");
        EmbeddedPostgres first = EmbeddedPostgres.start(EmbeddedOptions.in(primary));
        TestDatabase database = new TestServer(first.owner()).fresh();
        TestReplica.makeRevision(database);
        first.close();
        copy(primary, standby);
        first = EmbeddedPostgres.start(EmbeddedOptions.in(primary).onPort(first.port()));

        try (Wire wire = new Wire(database.gateway());
                TestReplica replica = new TestReplica("a", wire.through(database.gateway()))) {
            replica.start();
            Await.until("opens", replica::admits);
            run(database.connectAsOwner(), "select penstock.keys_changed_v1()");
            Await.until("has read what will be lost", () -> replica.epoch() == 3);
            wire.cut();
            first.close();
            Files.createFile(standby.resolve("data").resolve("recovery.signal"));
            try (EmbeddedPostgres second =
                    EmbeddedPostgres.start(recovering(standby).onPort(first.port()))) {
                assertThat(second.port()).isEqualTo(first.port());
                Orders.Stopped stopped = stop(database);
                assertThat(stopped.epoch()).isEqualTo(3);

                wire.mend();

                Await.until("stops", () -> replica.judge() instanceof Judgement.Stopped);
                Await.until("acknowledges", () -> acked(database) == 3);
                assertThat(replica.events).contains("server");
                assertThat(replica.calls.closedBefore).contains(Long.MAX_VALUE);
            }
        }
    }

    /**
     * A stop is recorded by the promoted server, which then goes away; the old primary answers, and
     * lacks the replica that came since.
     */
    @Test
    void stop_recordedThenOnlyTheOldPrimaryAnswers_isNotConfirmedByIt() throws Exception {
        Path primary = folder.resolve("primary");
        Path standby = folder.resolve("standby");
        EmbeddedPostgres first = EmbeddedPostgres.start(EmbeddedOptions.in(primary));
        TestDatabase database = new TestServer(first.owner()).fresh();
        first.close();
        copy(primary, standby);
        Files.createFile(standby.resolve("data").resolve("recovery.signal"));
        EmbeddedPostgres promoted = EmbeddedPostgres.start(recovering(standby));
        try (EmbeddedPostgres old =
                EmbeddedPostgres.start(EmbeddedOptions.in(primary).onPort(first.port()))) {
            DatabaseConfig operator = database.operator();
            String address = "127.0.0.1:" + old.port();
            DatabaseConfig both =
                    new DatabaseConfig(
                            operator.url()
                                    .replace(
                                            address,
                                            "127.0.0.1:" + promoted.port() + "," + address),
                            operator.user(),
                            operator.password(),
                            1);
            Progress promotedGoes =
                    new Progress() {
                        @Override
                        public void recorded(long epoch) {
                            promoted.close();
                        }
                    };

            StopReport report =
                    new StopSwitch(new Connector(both), System::nanoTime)
                            .stop(
                                    order(),
                                    new Patience(Duration.ofSeconds(3), false),
                                    promotedGoes);

            assertThat(report.result()).isEqualTo(Result.NOT_CONFIRMED);
        } finally {
            promoted.close();
        }
    }

    /** Recovers all that there is, which is what a promotion does, and begins a timeline. */
    private static EmbeddedOptions recovering(Path data) {
        // Without the last setting it is called ready while it recovers.
        return EmbeddedOptions.in(data)
                .with(Map.of("restore_command", "false", "hot_standby", "off"));
    }

    private static StopOrder order() {
        return new StopOrder(
                List.of(new StopOrder.Target(UUID.randomUUID(), new Scope.All())),
                "a drill",
                "tester",
                false,
                false);
    }

    private static Orders.Stopped stop(TestDatabase database) throws SQLException {
        try (Connection operator = database.connectAsOperator()) {
            return Orders.stop(operator, order());
        }
    }

    private static long acked(TestDatabase database) throws SQLException {
        try (Connection c = database.connectAsOperator();
                Statement s = c.createStatement();
                ResultSet r =
                        s.executeQuery(
                                "select coalesce(max(acked_epoch), 0) from penstock.status")) {
            r.next();
            return r.getLong(1);
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (connection;
                Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), COPY_ATTRIBUTES);
            }
        }
    }
}

package io.penstock.cluster.control;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;

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
            // Recovers all that it has, which is what a promotion does, and begins a timeline.
            Files.createFile(standby.resolve("data").resolve("recovery.signal"));
            try (EmbeddedPostgres second =
                    EmbeddedPostgres.start(
                            EmbeddedOptions.in(standby)
                                    .onPort(first.port())
                                    .with(
                                            Map.of(
                                                    "restore_command",
                                                    "false",
                                                    // Ready means that it is a primary.
                                                    "hot_standby",
                                                    "off")))) {
                assertThat(second.port()).isEqualTo(first.port());
                Orders.Stopped stopped = stop(database);
                assertThat(stopped.epoch()).isEqualTo(3);

                wire.mend();

                Await.until("stops", () -> replica.judge() instanceof Judgement.Stopped);
                Await.until("acknowledges", () -> acked(database) == 3);
                assertThat(replica.events).contains("server");
            }
        }
    }

    private static Orders.Stopped stop(TestDatabase database) throws SQLException {
        try (Connection operator = database.connectAsOperator()) {
            return Orders.stop(
                    operator,
                    new StopOrder(
                            List.of(new StopOrder.Target(UUID.randomUUID(), new Scope.All())),
                            "a drill",
                            "tester",
                            false,
                            false));
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

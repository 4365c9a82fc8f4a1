package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Postgres absent, gone, frozen, read-only or of another version: closed with a reason, never open,
 * never hanging.
 */
final class DatabaseTroubleIT {
    /** The deadline is 250 ms; the rest is for a machine that is busy with other things. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);

    @Test
    void start_withoutPostgres_waitsClosedWithAReasonAndOpensWhenItComes() throws Exception {
        try (Fault fault = new Fault(Tap.State.CUT)) {
            Replica replica = fault.gate.add("a").launch();
            replica.awaitHealth("/health/live", 200);
            replica.awaitHealth("/health/admit", 503);

            Await.until(
                    "the reason is the database",
                    () -> replica.admit().toString().toLowerCase(Locale.ROOT).contains("database"));
            assertClosed(fault.gate, replica);

            fault.tap.turn(Tap.State.OPEN);
            replica.awaitAdmitting();
            awaitAdmitted(replica);
        }
    }

    @Test
    void postgres_goneMidRun_everyReplicaStaysRoutableAndRefusesInBand() throws Exception {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            fault.startTwo();
            for (Tap.State trouble : List.of(Tap.State.CUT, Tap.State.FROZEN)) {
                fault.tap.turn(trouble);
                int before = fault.awaitClosed();
                for (Replica replica : fault.gate.replicas()) {
                    long started = System.nanoTime();
                    assertThat(refusal(replica)).isIn("control-stale", "ledger-unavailable");
                    assertThat(Duration.ofNanos(System.nanoTime() - started))
                            .isLessThan(ANSWER_MAX);
                    assertThat(replica.health("/health/ready").status()).isEqualTo(200);
                    assertThat(replica.health("/health/admit").status()).isEqualTo(503);
                }
                assertThat(fault.gate.upstream().count()).isEqualTo(before);

                fault.tap.turn(Tap.State.OPEN);
                fault.gate.replicas().forEach(Replica::awaitAdmitting);
                fault.gate.replicas().forEach(DatabaseTroubleIT::awaitAdmitted);
            }
        }
    }

    /** What the way through a replica is for: it holds the stop, and has it recorded later. */
    @Test
    void stop_throughAReplicaWithoutPostgres_isHeldAndRecordedWhenItReturns() {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            fault.startTwo();
            Gate gate = fault.gate;
            fault.tap.turn(Tap.State.CUT);
            String[] soon = {"stop", "--tenant", "acme", "--reason", "drill", "--wait", "1s"};
            assertThat(Gate.ended(1, gate.through(gate.replica(0), "stop", soon)))
                    .contains("held by that replica", "not recorded: ")
                    .doesNotContain("recorded, epoch");
            String[] late = {"stop", "--server", "api", "--reason", "x", "--until-recorded"};
            try (Program command = gate.through(gate.replica(0), "stop", late)) {
                command.awaitOutput("not yet: ");
                assertThat(command.alive()).isTrue();

                fault.tap.turn(Tap.State.OPEN);

                assertThat(Gate.ended(0, command))
                        .containsOnlyOnce("held by that replica")
                        .contains("stopped: every replica is confirmed");
            }
            gate.awaitNumber("stops that hold", 2, "select count(*) from penstock.stops");
            for (Replica replica : gate.replicas()) {
                Await.until("acme is stopped", () -> refusal(replica).equals("stopped"));
            }
        }
    }

    @Test
    void postgres_frozenMidCall_isRefusedWithinTheDeadline() {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            fault.startTwo();
            int before = fault.gate.upstream().count();
            fault.tap.turn(Tap.State.FROZEN);

            long started = System.nanoTime();
            String decision = refusal(fault.gate.replica(0));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);

            System.out.println("frozen Postgres: " + decision + " after " + millis + " ms");
            assertThat(decision).isIn("ledger-unavailable", "control-stale");
            assertThat(Duration.ofMillis(millis)).isLessThan(ANSWER_MAX);
            assertThat(fault.gate.upstream().count()).isEqualTo(before);
        }
    }

    @Test
    void postgres_turnedReadOnly_refusesUntilItIsWritable() throws SQLException {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            fault.startTwo();
            String name = fault.gate.database().name();
            fault.execute("alter database " + name + " set default_transaction_read_only = on");
            fault.reconnect();
            int before = fault.awaitClosed();
            fault.gate.replicas().forEach(r -> assertThat(refusal(r)).isNotEqualTo("admitted"));
            assertThat(fault.gate.upstream().count()).isEqualTo(before);

            fault.execute(
                    "set default_transaction_read_only = off",
                    "alter database " + name + " reset default_transaction_read_only");
            fault.reconnect();
            fault.gate.replicas().forEach(Replica::awaitAdmitting);
            fault.gate.replicas().forEach(DatabaseTroubleIT::awaitAdmitted);
        }
    }

    @Test
    void start_schemaOfAnotherVersion_waitsAndNamesBothVersions() throws Exception {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            String view =
                    "create or replace view penstock.schema_version as select %d as version, %d as"
                            + " oldest_program";
            fault.execute(view.formatted(9999, 9999));
            Replica replica = fault.gate.add("a").launch();
            awaitReason(replica, "9999", "newer");
            assertClosed(fault.gate, replica);

            fault.execute(view.formatted(1, 1));
            awaitReason(replica, "version 1,", "penstock migrate");
            assertClosed(fault.gate, replica);
        }
    }

    private static void awaitReason(Replica replica, String... words) {
        Await.until(
                "the reason names " + List.of(words),
                () -> {
                    String reason = replica.admit().toString();
                    for (String word : words) {
                        if (!reason.contains(word)) throw new IllegalStateException(reason);
                    }
                    return true;
                });
    }

    @Test
    void start_onAnEmptyDatabaseWithTheGatewaysRole_waitsAndNamesTheCommand() throws Exception {
        try (Gate gate = Gate.on(TestDatabase.empty(), settings -> settings)) {
            Replica replica = gate.add("a").launch();
            replica.awaitHealth("/health/admit", 503);
            Await.until(
                    "the reason names the command",
                    () ->
                            (replica.admit() + replica.program().output())
                                    .contains("penstock migrate"));
            assertClosed(gate, replica);
        }
    }

    @Test
    void start_severalReplicasOnAnEmptyDatabaseWithTheOwnersRole_allAdmit() {
        TestDatabase empty = TestDatabase.empty();
        try (Gate gate = Gate.on(empty, settings -> settings.database(empty.owner()))) {
            for (String name : List.of("a", "b", "c")) gate.add(name).launch();

            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.replicas().forEach(DatabaseTroubleIT::awaitAdmitted);
        }
    }

    private static void awaitAdmitted(Replica replica) {
        Gate.awaitAdmitted(replica.port(), Requests.toolCall(Settings.KEY, "tools", "echo", 1));
    }

    /** A replica that is not through with its start does not listen yet, or refuses. */
    private static void assertClosed(Gate gate, Replica replica) {
        try (Wire wire = Wire.open(replica.port())) {
            Wire.Answer answer = wire.call(Requests.toolCall(Settings.KEY, "tools", "echo", 1));
            assertThat(answer.decision()).isNotEqualTo("admitted");
        } catch (IOException e) {
            assertThat(replica.program().alive()).isTrue();
        }
        assertThat(gate.upstream().count()).isZero();
    }

    /** A refusal in-band: HTTP 200 with a JSON-RPC error, so that no session dies of it. */
    private static String refusal(Replica replica) {
        Wire.Answer answer =
                Gate.call(replica.port(), Requests.toolCall(Settings.KEY, "tools", "echo", 1));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().path("id").asInt()).isEqualTo(1);
        return answer.decision();
    }

    /** A cluster whose only way to Postgres can be cut. */
    private static final class Fault implements AutoCloseable {
        private final Tap tap;
        private final Gate gate;

        Fault(Tap.State state) {
            TestDatabase database = TestDatabase.fresh();
            URI url = URI.create(database.gateway().url().substring("jdbc:".length()));
            tap = Tap.to(url.getHost(), url.getPort(), state);
            gate =
                    Gate.on(
                            database,
                            settings ->
                                    settings.database(
                                            Settings.through(database.gateway(), tap.port())));
        }

        void startTwo() {
            gate.add("a").launch();
            gate.add("b").launch();
            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.replicas().forEach(DatabaseTroubleIT::awaitAdmitted);
        }

        /** Waits until every replica says that it cannot admit. */
        int awaitClosed() {
            gate.replicas().forEach(replica -> replica.awaitHealth("/health/admit", 503));
            return gate.upstream().count();
        }

        /** Makes every replica connect anew. */
        void reconnect() {
            tap.turn(Tap.State.CUT);
            tap.turn(Tap.State.OPEN);
        }

        void execute(String... statements) throws SQLException {
            // Not by the product's own connector: it would refuse a server that is read-only.
            var superuser = gate.database().superuser();
            try (Connection connection =
                            DriverManager.getConnection(
                                    superuser.url(),
                                    superuser.user(),
                                    Objects.requireNonNullElse(superuser.password(), ""));
                    Statement statement = connection.createStatement()) {
                for (String sql : statements) statement.execute(sql);
            }
        }

        @Override
        public void close() {
            gate.close();
            tap.close();
        }
    }
}

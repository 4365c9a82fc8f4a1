package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.testing.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
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

            assertThat(replica.admit().toString()).containsIgnoringCase("database");
            assertThat(refusal(replica)).isIn("control-stale", "ledger-unavailable");
            assertThat(fault.gate.upstream().count()).isZero();

            fault.tap.turn(Tap.State.OPEN);
            replica.awaitAdmitting();
            assertThat(refusal(replica)).isEqualTo("admitted");
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
                fault.gate.replicas().forEach(r -> assertThat(refusal(r)).isEqualTo("admitted"));
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
            fault.gate.replicas().forEach(r -> assertThat(refusal(r)).isEqualTo("admitted"));
        }
    }

    @Test
    void start_schemaOfANewerVersion_waitsAndNamesBothVersions() throws Exception {
        try (Fault fault = new Fault(Tap.State.OPEN)) {
            fault.execute(
                    """
                    insert into penstock.flyway_schema_history
                        (installed_rank, version, description, type, script, installed_by, execution_time, success)
                    values (9999, '9999', 'of the future', 'SQL', 'V9999__of_the_future.sql', 'somebody', 1, true)
                    """);
            Replica replica = fault.gate.add("a").launch();
            replica.awaitHealth("/health/admit", 503);
            Await.until(
                    "the reason names the version that is there",
                    () -> replica.admit().toString().contains("9999"));
            assertThat(refusal(replica)).isNotEqualTo("admitted");
            assertThat(fault.gate.upstream().count()).isZero();
        }
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
            assertThat(refusal(replica)).isNotEqualTo("admitted");
        }
    }

    @Test
    void start_severalReplicasOnAnEmptyDatabaseWithTheOwnersRole_allAdmit() {
        TestDatabase empty = TestDatabase.empty();
        try (Gate gate = Gate.on(empty, settings -> settings.database(empty.owner()))) {
            for (String name : List.of("a", "b", "c")) gate.add(name).launch();

            gate.replicas().forEach(Replica::awaitAdmitting);
            gate.replicas().forEach(r -> assertThat(refusal(r)).isEqualTo("admitted"));
        }
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
            gate.replicas().forEach(r -> assertThat(refusal(r)).isEqualTo("admitted"));
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
            try (Connection connection = gate.database().connectAsSuperuser();
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

package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The operator's commands through a replica's admin API, and what they say of replicas that do not
 * answer.
 */
final class AdminCommandsIT {
    private static final String STOPS = "select count(*) from penstock.stops";

    /** With a lease so long that no replica loses it only because the machine is busy. */
    private static Gate start(int replicas) {
        Gate gate = Gate.start(replicas, settings -> settings.set("control", "{ lease: 10s }"));
        awaitNotified(gate, replicas);
        return gate;
    }

    /** A replica's first beats say that no NOTIFY has reached it yet, which is true. */
    private static void awaitNotified(Gate gate, int replicas) {
        gate.awaitNumber(
                "replicas that a NOTIFY reaches",
                replicas,
                "select count(*) from penstock.status where state = 'open' and not degraded");
    }

    private static byte[] call() {
        return Requests.toolCall(Settings.KEY, "tools", "echo", 1);
    }

    @Test
    void stop_throughAReplica_needsTheRoleAndIsConfirmedByAll() throws IOException {
        try (Gate gate = start(2)) {
            Replica a = gate.replica(0);
            for (String role : List.of("view", "operate")) {
                assertThat(Gate.ended(1, gate.through(a, role, stop("--all"))))
                        .contains("refused (403)", "needs the role stop, the token has " + role);
            }
            assertThat(gate.number(STOPS)).isZero();
            Gate.awaitAdmitted(gate.port(), call());

            String report = Gate.ended(0, gate.through(a, "stop", stop("--tenant", "acme")));

            assertThat(report.lines().toList())
                    .as("in the order in which it happens:%n%s", report)
                    .satisfiesExactly(
                            line -> assertThat(line).startsWith("stop ").endsWith(": tenant acme"),
                            line -> assertThat(line).startsWith("held by that replica"),
                            line -> assertThat(line).startsWith("recorded, epoch "),
                            line -> assertThat(line).contains(" acked in "),
                            line -> assertThat(line).contains(" acked in "),
                            line ->
                                    assertThat(line)
                                            .isEqualTo("stopped: every replica is confirmed"));
            for (Replica replica : gate.replicas()) {
                assertThat(Gate.call(replica.port(), call()).decision()).isEqualTo("stopped");
            }
            assertThat(gate.rows("select actor from penstock.stops"))
                    .containsExactly(List.of("token:stop"));
            assertThat(Gate.ended(0, gate.through(a, "view", "status")))
                    .containsPattern("(?m) tenant acme +cut +20.* token:stop +drill$");
            cannotBeLiftedThere(gate, report.substring("stop ".length(), "stop ".length() + 36));
        }
    }

    /** Only the operator's database credential lifts a stop. */
    private static void cannotBeLiftedThere(Gate gate, String id) throws IOException {
        Replica a = gate.replica(0);
        assertThat(Gate.ended(2, gate.through(a, "stop", "resume", id, "--reason", "over")))
                .contains("lifting a stop needs the operator's credential for the database");
        try (Wire wire = Wire.open(a.adminPort())) {
            Wire.Answer answer =
                    wire.call(
                            Wire.request(
                                    "DELETE",
                                    "/v1/stops/" + id,
                                    List.of("Authorization: Bearer token-to-stop"),
                                    new byte[0]));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.json().path("code").asText()).isEqualTo("needs-database-credential");
        }
        assertThat(gate.number(STOPS)).isOne();

        String none = "00000000-0000-4000-8000-000000000000";
        assertThat(Gate.ended(1, gate.operator("resume", id, none, "--reason", "over")))
                .contains("no such stop: " + none + "; nothing was lifted")
                .doesNotContain("acked");
        assertThat(gate.number(STOPS)).isOne();
        assertThat(gate.operate("resume", id, "--reason", "over")).contains("lifted " + id);
        Gate.awaitAdmitted(gate.port(), call());
    }

    private static String[] stop(String... scope) {
        List<String> all = new java.util.ArrayList<>(List.of("stop", "--reason", "drill"));
        all.addAll(List.of(scope));
        return all.toArray(String[]::new);
    }

    @Test
    void stop_aReplicaIsFrozen_theOthersLineComesAtOnce() {
        try (Gate gate = start(2)) {
            Replica frozen = gate.replica(1);
            frozen.program().signal("STOP");
            try (Program command = gate.through(gate.replica(0), "stop", stop("--all"))) {
                command.awaitOutput("acked in ");
                assertThat(command.alive()).as("b may still hold a lease").isTrue();
                assertThat(command.output()).doesNotContain("fenced", "stopped:");

                frozen.program().signal("CONT");

                assertThat(Gate.ended(0, command)).contains("stopped: every replica is confirmed");
            }
        }
    }

    @Test
    void status_replicaFrozenThenDeadThenBack_isOverdueThenGoneThenOpen() {
        try (Gate gate = start(2)) {
            Replica a = gate.replica(0);
            Replica b = gate.replica(1);
            assertThat(Gate.ended(0, gate.through(a, "view", "status")))
                    .contains("answered by replica a: admits", "all well")
                    .containsPattern("(?m)^a +open ")
                    .containsPattern("(?m)^b +open ");

            b.program().signal("STOP");
            aged(gate, "b", "9 s");
            assertThat(Gate.ended(4, gate.operator("status")))
                    .containsPattern("(?m)^b +overdue ")
                    .contains("replica b: no beat for ", "its lease is over");
            assertThat(Gate.ended(4, gate.through(a, "view", "status")))
                    .containsPattern("(?m)^b +overdue ")
                    .contains("replica b: its lease is over");

            b.kill();
            aged(gate, "b", "1 minute");
            assertThat(Gate.ended(4, gate.operator("status")))
                    .containsPattern("(?m)^b +gone ")
                    .contains("replica b: gone, no beat for ");

            b.launch();
            b.awaitAdmitting();
            awaitNotified(gate, 2);
            assertThat(gate.operate("status"))
                    .contains("all well")
                    .containsPattern("(?m)^b +open ")
                    .doesNotContain("gone");
        }
    }

    /** Instead of waiting for it. */
    private static void aged(Gate gate, String replica, String by) {
        gate.rows(
                "update penstock.replica set beat_at = beat_at - interval '"
                        + by
                        + "' where replica = '"
                        + replica
                        + "' returning 1");
    }

    @Test
    void commands_tokenOrAddressWrong_sayWhat() {
        try (Gate gate = start(1)) {
            Replica a = gate.replica(0);
            String url = "http://127.0.0.1:" + a.adminPort();
            for (String[] command : List.of(new String[] {"status"}, stop("--all"), block())) {
                assertThat(Gate.ended(1, gate.through(url, "not-a-token", command)))
                        .contains(url + " refused (401)", "Is the token right?");
            }
            assertThat(Gate.ended(1, gate.through("http://127.0.0.1:1", "x", stop("--all"))))
                    .contains("http://127.0.0.1:1 does not answer: the connection is refused");
            assertThat(Gate.ended(1, gate.through("http://127.0.0.1:" + a.port(), "x", "status")))
                    .as("the agents' port")
                    .contains("refused (404)");
            assertThat(Gate.ended(2, gate.through("ftp://127.0.0.1", "x", "status")))
                    .contains("--admin: must be http:// or https://");
            assertThat(gate.number(STOPS)).isZero();
        }
    }

    @Test
    void block_throughAReplica_needsTheRoleAndHolds() {
        try (Gate gate = start(2)) {
            Replica a = gate.replica(0);
            assertThat(Gate.ended(1, gate.through(a, "view", block())))
                    .contains("needs the role operate, the token has view");
            Gate.awaitAdmitted(gate.port(), call());

            assertThat(Gate.ended(0, gate.through(a, "operate", block())))
                    .contains("blocked acme/one until ");

            for (Replica replica : gate.replicas()) {
                Await.until(
                        "it is blocked at " + replica.name(),
                        () -> Gate.call(replica.port(), call()).decision().equals("blocked"));
            }
            assertThat(Gate.ended(0, gate.through(a, "view", "status")))
                    .containsPattern("(?m)^acme/one +20.* token:operate +loops$");
            String[] unblock = {"unblock", "acme/one", "--reason", "fixed"};
            assertThat(Gate.ended(2, gate.through(a, "stop", unblock)))
                    .contains("ending a block needs the operator's credential");
            assertThat(gate.operate(unblock)).contains("unblocked acme/one");
            assertThat(Gate.ended(1, gate.operator(unblock))).contains("acme/one is not blocked");
        }
    }

    private static String[] block() {
        return new String[] {"block", "acme/one", "--for", "10m", "--reason", "loops"};
    }

    @Test
    void budgets_throughAReplica_areExplained() throws IOException {
        try (Gate gate =
                Gate.start(
                        1,
                        settings ->
                                settings.set("budgets", Settings.budgets(List.of("all 1 1h"))))) {
            JsonNode before = explained(gate.replica(0));
            Gate.awaitAdmitted(gate.port(), call());
            JsonNode after = explained(gate.replica(0));

            assertThat(before.path("refused").asBoolean()).isFalse();
            assertThat(before.path("budgets").get(0).path("left").asLong()).isEqualTo(1);
            assertThat(after.path("refused").asBoolean()).isTrue();
            assertThat(after.path("budgets").get(0).path("left").asLong()).isZero();
        }
    }

    private static JsonNode explained(Replica replica) throws IOException {
        try (Wire wire = Wire.open(replica.adminPort())) {
            Wire.Answer answer =
                    wire.call(
                            Wire.request(
                                    "GET",
                                    "/v1/budgets/explain?agent=acme/one&server=tools&tool=echo",
                                    List.of("Authorization: Bearer token-to-view"),
                                    new byte[0]));
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            return answer.json();
        }
    }
}

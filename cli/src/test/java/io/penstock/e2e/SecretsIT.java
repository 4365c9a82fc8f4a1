package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Keys, tokens, passwords and upstream credentials are used everywhere here, rightly and wrongly;
 * none of them may be seen in anything that a replica or a command prints or answers.
 */
final class SecretsIT {
    private static final String UPSTREAM = "canary-for-the-upstream";
    private static final String WRONG_KEY = "canary-key-that-nobody-has";
    private static final String WRONG_TOKEN = "canary-token-that-nobody-has";
    private static final String WRONG_PASSWORD = "canary-password-that-is-wrong";

    private static final Map<String, String> ENVIRONMENT = Map.of("UPSTREAM_KEY", UPSTREAM);

    private static final List<String> PATHS =
            List.of(
                    "/",
                    "/health/live",
                    "/health/ready",
                    "/health/admit",
                    "/metrics",
                    "/v1/openapi.json",
                    "/v1/status",
                    "/v1/stops",
                    "/v1/budgets",
                    "/v1/budgets/holds",
                    "/v1/blocks",
                    "/v1/revisions");

    private final List<String> printed = new ArrayList<>();

    @Test
    void whateverIsPrintedOrAnswered_showsNoSecret() throws IOException {
        try (Gate gate = Gate.prepare(SecretsIT::withUpstreamSecret)) {
            Replica replica = gate.add("a").launchWith(ENVIRONMENT);
            replica.awaitAdmitting();
            Gate.awaitAdmitted(replica.port(), Requests.toolCall(Settings.KEY, "tools", "echo", 1));
            assertThat(gate.upstream().arrivals().getLast().headers())
                    .containsEntry("x-upstream-key", UPSTREAM);
            answered(replica, Requests.toolCall(WRONG_KEY, "tools", "echo", 1));
            answered(replica, Requests.toolCall(Settings.KEY, "tools", "error", 2));
            answered(replica, Requests.toolCall(Settings.KEY, "tools", "garbage", 3));
            answered(replica, Requests.http(Settings.KEY, "GET", "/http/api/nowhere", ""));
            for (String path : PATHS) {
                admin(replica, path, "token-to-view");
                admin(replica, path, WRONG_TOKEN);
            }
            commands(gate, replica);
            printed.add(replica.program().output());

            List<String> secrets = secrets(gate);
            assertThat(secrets).hasSizeGreaterThan(8).allMatch(secret -> secret.length() > 7);
            for (String text : printed) {
                Optional<String> shown = secrets.stream().filter(text::contains).findFirst();
                assertThat(shown).as("in: %s", text).isEmpty();
            }
        }
    }

    private static Settings withUpstreamSecret(Settings settings) {
        String yaml = settings.yaml();
        int at = yaml.indexOf("http://127.0.0.1:");
        String upstream = yaml.substring(at, yaml.indexOf("/mcp", at));
        return settings.set(
                "servers",
                """

                - { name: tools, url: "%1$s/mcp", headers: { X-Upstream-Key: "${ENV:UPSTREAM_KEY}" } }
                - { name: api, http: "%1$s/base", routes: ["GET /users/{id}"] }\
                """
                        .formatted(upstream));
    }

    private static List<String> secrets(Gate gate) {
        List<String> secrets =
                new ArrayList<>(
                        List.of(
                                Settings.KEY,
                                Settings.OTHER_KEY,
                                UPSTREAM,
                                WRONG_KEY,
                                WRONG_TOKEN,
                                WRONG_PASSWORD,
                                Objects.requireNonNull(gate.database().gateway().password()),
                                Objects.requireNonNull(gate.database().operator().password())));
        Settings.ROLES.forEach(role -> secrets.add("token-to-" + role));
        gate.rows("select encode(secret, 'hex') from penstock.seal_key")
                .forEach(row -> secrets.add(row.getFirst()));
        return secrets;
    }

    private void answered(Replica replica, byte[] request) {
        Wire.Answer answer = Gate.call(replica.port(), request);
        printed.add(answer.headers() + "\n" + answer.text());
    }

    private void admin(Replica replica, String path, String token) throws IOException {
        try (Wire wire = Wire.open(replica.adminPort())) {
            printed.add(
                    wire.call(
                                    Wire.request(
                                            "GET",
                                            path,
                                            List.of("Authorization: Bearer " + token),
                                            new byte[0]))
                            .text());
        }
    }

    private void commands(Gate gate, Replica replica) {
        for (String[] command :
                List.of(
                        new String[] {"status"},
                        new String[] {"status", "--json"},
                        new String[] {"doctor", "--json"},
                        new String[] {"budgets", "--json"},
                        new String[] {"keys", "list", "--json"},
                        new String[] {"revisions", "--json"},
                        new String[] {"blocks", "--json"})) {
            ended(gate.operator(command));
        }
        ended(gate.through(replica, "view", "status", "--json"));
        ended(gate.through("http://127.0.0.1:" + replica.adminPort(), WRONG_TOKEN, "status"));
        var login = gate.database().operator();
        Path wrong = gate.settings().file("wrong-password", WRONG_PASSWORD);
        for (String command : List.of("status", "doctor")) {
            ended(
                    Program.start(
                            "wrong-" + command,
                            Replica.command(
                                    List.of(
                                            command,
                                            "--database",
                                            login.url(),
                                            "--user",
                                            login.user(),
                                            "--password-file",
                                            wrong.toString())),
                            Map.of()));
        }
        ended(
                Program.start(
                        "check",
                        Replica.command(
                                List.of(
                                        "check",
                                        "--config",
                                        replica.config().toString(),
                                        "--effective")),
                        ENVIRONMENT));
    }

    private void ended(Program command) {
        try (Program program = command) {
            assertThat(program.awaitExit(Await.LONG)).as("the command ends").isPresent();
            assertThat(program.output()).isNotEmpty();
            printed.add(program.output());
        }
    }
}

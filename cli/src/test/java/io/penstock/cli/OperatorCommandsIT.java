package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Do the operator's commands do on a real database what they say, without any replica? */
final class OperatorCommandsIT {
    private final TestDatabase database = TestDatabase.fresh();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir Path folder;
    private Path passwordFile = Path.of("");

    @BeforeEach
    void credential() throws IOException {
        passwordFile =
                Files.writeString(
                        folder.resolve("password"),
                        Objects.requireNonNull(database.operator().password()) + "\n");
    }

    @AfterEach
    void drop() {
        database.close();
    }

    /** Runs a command with the operator's login and returns its exit code. */
    private int run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        DatabaseConfig login = database.operator();
        all.addAll(List.of("--database", login.url(), "--user", login.user()));
        all.addAll(List.of("--password-file", passwordFile.toString()));
        return plain(all.toArray(String[]::new));
    }

    private int plain(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        Terminal terminal = new Terminal(new PrintWriter(out), new PrintWriter(err), false);
        return Main.run(arguments, Map.of(), terminal);
    }

    private JsonNode json(String... arguments) throws IOException {
        assertThat(run(arguments)).as(() -> out + "\n" + err).isZero();
        return new ObjectMapper().readTree(out.toString());
    }

    private Path rules(String text) throws IOException {
        return Files.writeString(folder.resolve("rules.yaml"), text);
    }

    @Test
    void stopAndResume_withoutReplicas_areRecorded() throws IOException {
        JsonNode stop =
                json(
                        "stop",
                        "--agent",
                        "acme/a/b",
                        "--tool",
                        "files/x",
                        "--reason",
                        "drill",
                        "--json");

        assertThat(stop.path("result").asText()).isEqualTo("confirmed");
        assertThat(stop.path("stops")).hasSize(2);
        assertThat(stop.path("epoch").asLong()).isPositive();
        assertThat(run("status")).isEqualTo(4);
        assertThat(out.toString()).contains("agent acme/a/b", "tool files/x", "no replica");

        String id = stop.path("stops").path(0).path("id").asText();
        assertThat(run("resume", id, "--reason", "over")).isZero();
        assertThat(out.toString()).contains("lifted " + id, "still holds: tool files/x");
        assertThat(run("resume", "--all", "--reason", "over")).isZero();
        assertThat(json("stop", "--all", "--reason", "r", "--dry-run", "--json").path("holding"))
                .isEmpty();
    }

    @Test
    void stop_wrongUse_changesNothing() throws IOException {
        assertThat(run("stop", "--reason", "x")).isEqualTo(2);
        assertThat(run("stop", "--all")).isEqualTo(2);
        assertThat(run("stop", "--agent", "no-tenant", "--reason", "x")).isEqualTo(2);
        assertThat(run("stop", "--all", "--reason", " ")).isEqualTo(2);
        assertThat(run("stop", "--all", "--reason", "x", "--wait", "5 s")).isEqualTo(2);
        assertThat(run("resume", "--reason", "x")).isEqualTo(2);
        assertThat(run("resume", "not-an-id", "--reason", "x")).isEqualTo(2);

        assertThat(json("stop", "--all", "--reason", "r", "--dry-run", "--json").path("holding"))
                .isEmpty();
    }

    @Test
    void stop_databaseAway_isNotRecorded() {
        int code =
                plain(
                        "stop",
                        "--all",
                        "--reason",
                        "x",
                        "--wait",
                        "300ms",
                        "--database",
                        "jdbc:postgresql://127.0.0.1:1/none",
                        "--user",
                        "nobody");

        assertThat(code).isEqualTo(1);
        assertThat(err.toString()).contains("not recorded", "--until-recorded");
    }

    @Test
    void stop_wrongPassword_saysSoWithoutTrace() throws IOException {
        Files.writeString(passwordFile, "wrong\n");

        assertThat(run("status")).isEqualTo(1);
        assertThat(err.toString()).contains("penstock: ").doesNotContain("\tat ", "wrong");
    }

    @Test
    void keys_newListRevoke_showTheKeyOnce() throws IOException {
        JsonNode made = json("keys", "new", "--tenant", "acme", "--agent", "x", "--json");
        String key = made.path("key").asText();
        String id = made.path("id").asText();

        assertThat(key).startsWith("pk_");
        assertThat(run("keys", "list")).isZero();
        assertThat(out.toString()).contains(id, "acme/x", "valid").doesNotContain(key);
        assertThat(run("keys", "revoke", id)).isZero();
        JsonNode listed = json("keys", "list", "--json").path(0);
        assertThat(listed.path("revokedAt").isTextual()).isTrue();
        assertThat(run("keys", "revoke", "nobody")).isEqualTo(1);
    }

    @Test
    void apply_twoFiles_makeRevisions() throws IOException {
        Path file =
                rules(
                        "servers: [{ name: files }]\n"
                                + "budgets: [{ name: b, limit: 5, window: 1m, per: [tenant] }]\n");
        assertThat(json("apply", "-f", file.toString(), "--json").path("revision").asLong())
                .isEqualTo(1);
        assertThat(run("apply", "-f", file.toString())).isZero();
        assertThat(out.toString()).contains("nothing to change");

        rules("servers: [{ name: files, mode: shadow }]\ncontrol: { lease: 2s }\n");
        assertThat(run("apply", "-f", file.toString(), "--dry-run")).isZero();
        assertThat(out.toString()).contains("server files", "lease").doesNotContain("budget b");
        assertThat(run("apply", "-f", file.toString(), "--reason", "try")).isZero();

        assertThat(run("revisions")).isZero();
        assertThat(out.toString()).contains("2 (current)", "try");
        assertThat(json("budgets", "--json").path(0).path("name").asText()).isEqualTo("b");
        assertThat(run("budgets", "show", "b")).isZero();
        assertThat(run("budgets", "show", "c")).isEqualTo(1);

        assertThat(run("stop", "--server", "file", "--reason", "mistyped")).isZero();
        assertThat(err.toString()).contains("no server file: is the name right?");
        assertThat(run("stop", "--server", "files", "--reason", "right")).isZero();
        assertThat(err.toString()).doesNotContain("is the name right?");
    }

    @Test
    void apply_wrongFile_appliesNothing() throws IOException {
        Path file = rules("budgets: [{ name: b, limit: x, window: 1m }]\n");

        assertThat(run("apply", "-f", file.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("rules.yaml:1:29: budgets.b.limit");
        assertThat(json("revisions", "--json")).isEmpty();
    }

    @Test
    void blocks_blockAndUnblock_areListed() throws IOException {
        assertThat(run("block", "acme/crawler", "--for", "10m", "--reason", "loops")).isZero();
        assertThat(json("blocks", "--json").path(0).path("agent").asText()).isEqualTo("crawler");
        assertThat(run("unblock", "acme/crawler", "--reason", "fixed")).isZero();
        assertThat(json("blocks", "--json")).isEmpty();
    }

    /** Whatever is named must be there: a mistyped name that seems to have worked is worse. */
    @Test
    void names_ofNothing_failAtOnceAndSaySo() throws IOException {
        Path file =
                rules("servers: [{ name: files }]\nbudgets: [{ name: b, limit: 5, window: 1m }]");
        assertThat(run("apply", "-f", file.toString())).isZero();
        String none = "00000000-0000-4000-8000-000000000000";

        assertFails("no such stop: " + none, "resume", none, "--reason", "x");
        assertFails("acme/x is not blocked", "unblock", "acme/x", "--reason", "x");
        assertFails("there is no revision 7", "rollback", "7");
        assertFails("there is no revision 7", "revisions", "7");
        assertFails("there is no key k7", "keys", "revoke", "k7");
        assertFails("no budget c", "budgets", "show", "c");
        assertFails("no budget c", "budgets", "holds", "c");
        assertFails("no budget c", "budgets", "reset", "c", "--reason", "x");
        assertFails(
                "no server s",
                "budgets",
                "explain",
                "--agent",
                "acme/x",
                "--server",
                "s",
                "--tool",
                "t");
    }

    private void assertFails(String because, String... arguments) {
        long began = System.nanoTime();
        assertThat(run(arguments)).as(() -> String.join(" ", arguments) + "\n" + out).isOne();
        assertThat(err.toString()).contains(because);
        assertThat(out.toString()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
                .as("nobody is waited for")
                .isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void doctor_plainDatabase_findsNoError() throws IOException {
        int code = run("doctor", "--json");

        assertThat(code).as(() -> out + "\n" + err).isIn(0, 4);
        assertThat(new ObjectMapper().readTree(out.toString()).findValuesAsText("check"))
                .contains("reach", "notify", "schema");
    }

    @Test
    void migrate_migratedDatabase_isDoneAlready() {
        DatabaseConfig owner = database.owner();
        assertThat(run("migrate")).as("the operator may read the version").isZero();
        assertThat(out.toString()).contains("already");
        assertThat(owner.toString()).doesNotContain("password");
    }
}

package io.penstock.e2e;

import io.penstock.cluster.postgres.DatabaseConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A replica's configuration file as YAML text, one string a top-level key. Starts from what most
 * tests want: two agents of two tenants with API keys, the counting upstream behind both doors and
 * once more with mode {@code off}, where only stop and lease govern, no budgets.
 */
final class Settings {
    /** Keys of the agents that every test's replicas know. */
    static final String KEY = "key-of-agent-one";

    static final String OTHER_KEY = "key-of-agent-two";

    /** Roles of the admin API; each one's token is {@code token-to-ROLE}. */
    static final List<String> ROLES = List.of("view", "operate", "stop");

    private final Map<String, String> sections = new LinkedHashMap<>();
    private final Path folder;

    private Settings(Path folder) {
        this.folder = folder;
    }

    static Settings of(Path folder, DatabaseConfig database, int upstreamPort) {
        var settings = new Settings(folder);
        settings.file(
                "keys.yaml",
                agentKey("one", KEY, "acme", "one") + agentKey("two", OTHER_KEY, "globex", "two"));
        settings.file(
                "admin-tokens",
                ROLES.stream()
                        .map(
                                role ->
                                        "- { id: %s, sha256: \"%s\", role: %s }%n"
                                                .formatted(role, sha256("token-to-" + role), role))
                        .collect(Collectors.joining()));
        settings.database(database);
        return settings.set("limits", "{ body: 256KiB, headers: 16KiB, nesting: 32 }")
                .set("drain", "{ delay: 2s, timeout: 10s }")
                .set(
                        "identity",
                        "{ mode: api-key, keys-file: " + folder.resolve("keys.yaml") + " }")
                .set(
                        "servers",
                        """

                        - name: tools
                          url: http://127.0.0.1:%1$d/mcp
                          timeout: 5s
                          idle-timeout: 3s
                        - name: free
                          url: http://127.0.0.1:%1$d/mcp
                          mode: off
                          timeout: 5s
                        - name: api
                          http: http://127.0.0.1:%1$d/base
                          timeout: 5s
                          routes: ["GET /users/{id}", "POST /users"]\
                        """
                                .formatted(upstreamPort));
    }

    Settings set(String key, String yaml) {
        sections.put(key, yaml);
        return this;
    }

    Settings database(DatabaseConfig login) {
        Path password = file("database-password", Objects.requireNonNull(login.password()));
        return set(
                "database",
                "{ url: \"%s\", user: %s, password-file: %s }"
                        .formatted(login.url(), login.user(), password));
    }

    /** The same database by another port of this machine. */
    static DatabaseConfig through(DatabaseConfig login, int port) {
        String url = login.url().replaceFirst("//[^/]+/", "//127.0.0.1:" + port + "/");
        return new DatabaseConfig(url, login.user(), login.password(), login.poolSize());
    }

    Settings copy() {
        var copy = new Settings(folder);
        copy.sections.putAll(sections);
        return copy;
    }

    /** Writes a file of the tests' own beside the configuration. */
    Path file(String name, String text) {
        try {
            Files.createDirectories(folder);
            return Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The admin listener on that port, and who may use it. */
    Settings admin(int port) {
        return set(
                "admin",
                "{ listen: \"127.0.0.1:%d\", tokens-file: %s }"
                        .formatted(port, folder.resolve("admin-tokens")));
    }

    String yaml() {
        return sections.entrySet().stream()
                .map(section -> section.getKey() + ": " + section.getValue())
                .collect(Collectors.joining("\n", "", "\n"));
    }

    static String agentKey(String id, String key, String tenant, String agent) {
        return "- { id: %s, sha256: \"%s\", tenant: %s, agent: %s }\n"
                .formatted(id, sha256(key), tenant, agent);
    }

    static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Budgets of fixed windows as {@code name limit window scopes}, for example {@code rate 100 1s
     * tenant,agent}.
     */
    static String budgets(List<String> budgets) {
        return budgets.stream()
                .map(line -> line.split(" "))
                .map(
                        part ->
                                "\n  - { name: %s, unit: calls, limit: %s, window: %s, per: [%s] }"
                                        .formatted(
                                                part[0],
                                                part[1],
                                                part[2],
                                                part.length > 3 ? part[3] : ""))
                .collect(Collectors.joining());
    }
}

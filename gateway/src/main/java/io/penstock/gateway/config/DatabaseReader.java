package io.penstock.gateway.config;

import io.penstock.gateway.config.DatabaseSection.Login;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the {@code database} part. */
final class DatabaseReader {
    private static final String EMBEDDED = "embedded";
    private static final int PASSWORD_BYTES_MAX = 64 * 1024;

    private final Section section;

    DatabaseReader(Section section) {
        this.section = section;
    }

    /** As a replica needs it. */
    DatabaseSection forReplica(boolean complete) {
        return read(complete, true);
    }

    /** As an operator needs it. */
    DatabaseSection forOperator() {
        section.requirePresence("url");
        return read(false, !section.has("operator"));
    }

    private DatabaseSection read(boolean complete, boolean gatewayLogin) {
        if (complete) {
            section.requirePresence("url");
        }
        String given = section.text("url");
        String url = given == null ? "" : given;
        boolean embedded = url.equals(EMBEDDED);
        int poolSize = (int) section.whole("pool-size");
        Login login = gatewayLogin ? login(section) : null;
        Login operator = section.has("operator") ? operator() : null;
        if (embedded && (section.has("user") || section.has("operator"))) {
            section.problem(
                    "url",
                    section.label("url")
                            + ": embedded makes its own logins: drop user and operator, or give a"
                            + " JDBC URL");
        }
        boolean named = section.has("user") || DatabaseSection.userOf(url).isPresent();
        if (complete && gatewayLogin && !embedded && !url.isEmpty() && !named) {
            section.problem("user", section.label("user") + " is missing");
        }
        return new DatabaseSection(embedded, embedded ? "" : url, login, poolSize, operator);
    }

    private @Nullable Login operator() {
        Section operator = section.section("operator");
        if (!operator.has("user")) {
            operator.problem("user", operator.label("user") + " is missing");
        }
        return login(operator);
    }

    private static @Nullable Login login(Section of) {
        String user = of.text("user");
        Secret password = of.secret("password");
        Path file = of.file("password-file");
        if (of.has("password") && of.has("password-file")) {
            of.problem(
                    "password-file",
                    of.label("password-file") + ": give this or password, not both");
        } else if (file != null && of.sound("password-file")) {
            password = firstLine(of, file);
        }
        if (user == null && (of.has("password") || of.has("password-file"))) {
            of.problem("user", of.label("user") + " is missing: there is a password for it");
        }
        return user == null ? null : new Login(user, password);
    }

    private static @Nullable Secret firstLine(Section of, Path file) {
        if (!Files.isReadable(file)) {
            return null;
        }
        try {
            if (Files.size(file) > PASSWORD_BYTES_MAX) {
                of.problem("password-file", of.label("password-file") + ": larger than 64KiB");
                return null;
            }
            String line = Files.readString(file).lines().findFirst().orElse("");
            if (line.isEmpty()) {
                of.problem("password-file", of.label("password-file") + ": first line is empty");
            }
            return new Secret(line);
        } catch (IOException e) {
            of.problem(
                    "password-file",
                    of.label("password-file") + ": cannot be read: " + e.getMessage());
            return null;
        }
    }
}

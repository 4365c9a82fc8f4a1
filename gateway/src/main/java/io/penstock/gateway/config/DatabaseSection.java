package io.penstock.gateway.config;

import io.penstock.cluster.postgres.DatabaseConfig;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the cluster's Postgres is and how to log in.
 *
 * @param embedded the embedded Postgres of {@code penstock up}; {@code serve} refuses it
 * @param url a JDBC URL, empty when embedded
 * @param login the gateway's credential, null to leave it to the URL
 * @param poolSize connections for everything but lanes and control
 * @param operator the credential of commands that change the cluster, null where the file has none
 */
public record DatabaseSection(
        boolean embedded,
        String url,
        @Nullable Login login,
        int poolSize,
        @Nullable Login operator) {
    private static final Pattern USER = Pattern.compile("[?&]user=([^&]+)");

    /**
     * A credential.
     *
     * @param password null where the server asks for none
     */
    public record Login(String user, @Nullable Secret password) {}

    /**
     * The gateway's way into the database.
     *
     * @throws IllegalStateException when embedded: whoever starts that server knows the way in
     */
    public DatabaseConfig connection() {
        if (embedded) {
            throw new IllegalStateException("the embedded database has no URL of its own");
        }
        Secret password = login == null ? null : login.password();
        String user = login == null ? userOf(url).orElse("") : login.user();
        return new DatabaseConfig(url, user, password == null ? null : password.value(), poolSize);
    }

    /** The user that a URL names among its parameters. */
    static Optional<String> userOf(String url) {
        Matcher user = USER.matcher(url);
        return user.find()
                ? Optional.of(URLDecoder.decode(user.group(1), StandardCharsets.UTF_8))
                : Optional.empty();
    }

    /** The URL may carry a password: it is masked. */
    @Override
    public String toString() {
        return "DatabaseSection[" + (embedded ? "embedded" : Masking.url(url)) + "]";
    }
}

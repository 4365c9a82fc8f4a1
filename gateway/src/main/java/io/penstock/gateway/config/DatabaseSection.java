package io.penstock.gateway.config;

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

    /**
     * A credential.
     *
     * @param password null where the server asks for none
     */
    public record Login(String user, @Nullable Secret password) {}

    /** The URL may carry a password: it is masked. */
    @Override
    public String toString() {
        return "DatabaseSection[" + (embedded ? "embedded" : Masking.url(url)) + "]";
    }
}

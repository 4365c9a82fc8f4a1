package io.penstock.cluster.postgres;

import org.jspecify.annotations.Nullable;

/**
 * Where the cluster's Postgres is, and who asks.
 *
 * @param url {@code jdbc:postgresql://...}; may name several hosts
 * @param password never shown
 * @param poolSize connections for the admin plane's queries, beside those of lanes and control
 */
public record DatabaseConfig(String url, String user, @Nullable String password, int poolSize) {
    /** Connections of the admin plane's pool where nothing else is said. */
    public static final int POOL_SIZE = 8;

    public DatabaseConfig {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException(
                    "the database URL must start with jdbc:postgresql:, this one does not");
        }
        if (poolSize < 1 || poolSize > 1000) {
            throw new IllegalArgumentException("pool size must be 1 to 1000, is " + poolSize);
        }
    }

    /** The same database for somebody else. */
    public DatabaseConfig as(String otherUser, @Nullable String otherPassword) {
        return new DatabaseConfig(url, otherUser, otherPassword, poolSize);
    }

    /** The URL without its parameters, which may hold a secret. */
    public String address() {
        int query = url.indexOf('?');
        return query < 0 ? url : url.substring(0, query);
    }

    @Override
    public String toString() {
        return "DatabaseConfig[" + address() + ", user=" + user + ", poolSize=" + poolSize + "]";
    }
}

package io.penstock.cluster.postgres;

/**
 * What a connection is for; decides its limits (protocol page, section 5).
 *
 * <p>A socket timeout is the only thing that ends a wait on a frozen server, so every purpose but
 * {@link #MIGRATE} has one.
 */
public enum Purpose {
    /** Admissions: one statement at a time, each its own transaction. */
    LANE("lane", 3, 2_000, true, true),
    /** Waits for notifications. */
    LISTEN("listen", 3, 2_000, true, true),
    /** Beats; gives up after a second, as the lease is over by then. */
    LEASE("lease", 1, 2_000, true, true),
    /** Outcomes and refusals. */
    JOURNAL("journal", 3, 2_000, true, true),
    /** The admin plane's queries and the stores. */
    POOL("pool", 5, 4_000, true, false),
    /** A command on an operator's terminal. */
    OPERATOR("operator", 10, 9_000, true, false),
    /** Schema changes, which may take long. */
    MIGRATE("migrate", 0, 0, true, false),
    /** Looks at any server it is pointed at, a standby too. */
    EXAMINE("doctor", 5, 4_000, false, false);

    private final String label;
    private final int socketTimeoutSeconds;
    private final int transactionTimeoutMillis;
    private final boolean primaryOnly;
    private final boolean hot;

    Purpose(
            String label,
            int socketTimeoutSeconds,
            int transactionTimeoutMillis,
            boolean primaryOnly,
            boolean hot) {
        this.label = label;
        this.socketTimeoutSeconds = socketTimeoutSeconds;
        this.transactionTimeoutMillis = transactionTimeoutMillis;
        this.primaryOnly = primaryOnly;
        this.hot = hot;
    }

    /** Stands after {@code penstock-} in the server's list of sessions. */
    public String label() {
        return label;
    }

    int socketTimeoutSeconds() {
        return socketTimeoutSeconds;
    }

    int transactionTimeoutMillis() {
        return transactionTimeoutMillis;
    }

    boolean primaryOnly() {
        return primaryOnly;
    }

    /** The same few statements for the life of the connection: prepare them at once. */
    boolean hot() {
        return hot;
    }
}

package io.penstock.cluster.operator;

/** What a confirmed commit survives on the server that was found. */
public enum Durability {
    /** Not even a crash of the server: it does not flush. */
    NONE("none"),
    /** A crash of the server, not its loss. */
    CRASH_SAFE("crash-safe"),
    /** The loss of the server, as far as it waits for a synchronous standby. */
    FAILOVER_SAFE("failover-safe");

    private final String label;

    Durability(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}

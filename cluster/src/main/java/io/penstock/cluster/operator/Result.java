package io.penstock.cluster.operator;

/** How an order ended, and the exit code that a script sees. */
public enum Result {
    /** Recorded, and every replica has acknowledged or must be without a lease. */
    CONFIRMED(0),
    /** Not recorded: the cluster does not know the order. */
    NOT_RECORDED(1),
    /** Recorded; not every replica was confirmed, or not every call had ended, in time. */
    NOT_CONFIRMED(3);

    private final int exitCode;

    Result(int exitCode) {
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}

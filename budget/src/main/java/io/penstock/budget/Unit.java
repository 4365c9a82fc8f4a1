package io.penstock.budget;

/** What a budget counts. */
public enum Unit {
    CALLS('C'),
    /** Millionths of a US dollar. */
    COST('M'),
    TOKENS('T'),
    BYTES('B'),
    /** Calls that are open now, over all replicas. */
    CONCURRENCY('K');

    private final char code;

    Unit(char code) {
        this.code = code;
    }

    /** Stands for it in a counter's key. */
    char code() {
        return code;
    }

    /** Whether a call's amount comes from a price. */
    public boolean priced() {
        return this == COST || this == TOKENS || this == BYTES;
    }
}

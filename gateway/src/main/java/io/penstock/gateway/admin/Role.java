package io.penstock.gateway.admin;

/** What the holder of a token may do; each includes the ones before it. */
enum Role {
    /** Read. */
    VIEW,
    /** Block agents. */
    OPERATE,
    /** Give stops. */
    STOP;

    boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    String word() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}

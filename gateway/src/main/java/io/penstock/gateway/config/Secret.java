package io.penstock.gateway.config;

/**
 * A value that must not be seen: it never reaches {@code toString}, logs or the effective
 * configuration.
 *
 * @param value in the clear, for the one place that needs it
 */
public record Secret(String value) {
    /** What is shown in its place. */
    static final String MASK = "***";

    @Override
    public String toString() {
        return MASK;
    }
}

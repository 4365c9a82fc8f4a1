package io.penstock.budget;

/** The span a limit applies to. */
public sealed interface Window {

    /**
     * Spans of one length, aligned to the epoch on the database clock.
     *
     * @param micros length in microseconds, 1 s to 366 days
     */
    record Fixed(long micros) implements Window {}
}

package io.penstock.gateway.door;

import io.penstock.gateway.http.HeaderBlock;

/**
 * Marks what the door answers itself as the handler marks its answers, so that a client always
 * finds the same headers.
 *
 * <p><b>Threads.</b> Called by many at once; must not block.
 */
@FunctionalInterface
public interface DoorMarks {

    /** Adds nothing. */
    DoorMarks NONE = (headers, decision) -> {};

    /**
     * Adds headers to a refusal.
     *
     * @param decision {@code malformed} or {@code overloaded}
     */
    void add(HeaderBlock headers, String decision);
}

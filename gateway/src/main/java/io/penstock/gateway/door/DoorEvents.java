package io.penstock.gateway.door;

/**
 * What happens at the door, for metrics.
 *
 * <p><b>Threads.</b> Called by many at once; must not block.
 */
public interface DoorEvents {

    /** Nobody listens. */
    DoorEvents NONE = new DoorEvents() {};

    /** A connection was accepted. */
    default void opened() {}

    /** A connection has ended. */
    default void closed() {}

    /** The door answered a request itself; {@code reason} is one of a few fixed words. */
    default void refused(String reason) {}

    /**
     * The door closed a connection that was too slow; {@code reason} is {@code header}, {@code
     * body}, {@code idle} or {@code write}.
     */
    default void timedOut(String reason) {}
}

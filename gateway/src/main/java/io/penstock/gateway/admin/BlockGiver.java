package io.penstock.gateway.admin;

import java.time.Duration;
import java.time.Instant;

/**
 * Blocks agents for a while. Ending a block early is not here, as with stops.
 *
 * <p><b>Failure.</b> Any unchecked exception: not recorded, or not known to be.
 *
 * <p><b>Threads.</b> Safe for concurrent use. Blocks on the database.
 */
@FunctionalInterface
public interface BlockGiver {
    /**
     * A block that somebody asks for.
     *
     * @param length 1 s to {@link #LENGTH_MAX}
     */
    record Order(String tenant, String agent, Duration length, String reason, String actor) {}

    /** Longest block; whoever wants more means a stop. */
    Duration LENGTH_MAX = Duration.ofDays(30);

    /** Records it. Returns when the block ends, by the database's clock. */
    Instant block(Order order);
}

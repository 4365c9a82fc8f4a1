package io.penstock.cluster.control;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a replica takes part in the control of its cluster.
 *
 * @param replica its name
 * @param announcement what it says of itself
 * @param poll longest time between two looks at the control state where NOTIFY does not arrive
 * @param latchFile where stops are kept that the database has not taken yet; null: only in memory
 */
public record BusConfig(
        String replica, Announcement announcement, Duration poll, @Nullable Path latchFile) {
    /** Poll where nothing else is said. */
    public static final Duration POLL = Duration.ofMillis(250);

    public BusConfig {
        if (poll.compareTo(Duration.ofMillis(10)) < 0
                || poll.compareTo(Duration.ofSeconds(5)) > 0) {
            throw new IllegalArgumentException("control.poll must be 10ms to 5s, is " + poll);
        }
    }
}

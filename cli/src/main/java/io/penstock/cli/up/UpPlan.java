package io.penstock.cli.up;

import io.penstock.gateway.config.ReplicaConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What {@code penstock up} is to start.
 *
 * @param replicas how many
 * @param port the first to try for agents
 * @param data where the embedded Postgres keeps its data; null for a temporary folder
 * @param own the user's configuration instead of the demo's, null for the demo
 * @param newCache the start-up cache that the replicas are to write, null for none
 */
public record UpPlan(
        int replicas, int port, @Nullable Path data, @Nullable Own own, @Nullable Path newCache) {
    public static final int REPLICAS_MAX = 16;

    /** A configuration file with what it says. */
    public record Own(Path file, ReplicaConfig config) {}

    /** Whether Postgres is ours to start. */
    boolean embedded() {
        return own == null || own.config().database().embedded();
    }
}

package io.penstock.cluster.postgres;

import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How an embedded Postgres is to run.
 *
 * @param folder where it keeps its data between starts; null for a temporary one that is deleted
 * @param port 0 for any free one
 * @param settings server settings on top of ours; they win
 */
public record EmbeddedOptions(@Nullable Path folder, int port, Map<String, String> settings) {
    public EmbeddedOptions {
        settings = Map.copyOf(settings);
        if (port < 0 || port > 65535) {
            throw new IllegalArgumentException("port must be 0 to 65535, is " + port);
        }
    }

    /** Any port, its data gone with it. */
    public static EmbeddedOptions temporary() {
        return new EmbeddedOptions(null, 0, Map.of());
    }

    /** Keeps its data in that folder. */
    public static EmbeddedOptions in(Path folder) {
        return new EmbeddedOptions(folder, 0, Map.of());
    }

    public EmbeddedOptions onPort(int chosen) {
        return new EmbeddedOptions(folder, chosen, settings);
    }

    public EmbeddedOptions with(Map<String, String> more) {
        return new EmbeddedOptions(folder, port, more);
    }
}

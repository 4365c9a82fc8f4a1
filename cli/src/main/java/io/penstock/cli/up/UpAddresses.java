package io.penstock.cli.up;

import io.penstock.cluster.postgres.DatabaseConfig;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where everything is once it runs.
 *
 * @param url where agents call
 * @param operator the way into our own Postgres for commands, null where it is the user's
 * @param demoServer null without the demo
 * @param key the demo agent's, null without the demo
 * @param logs folder of the processes' logs
 */
public record UpAddresses(
        String url,
        List<Replica> replicas,
        @Nullable DatabaseConfig operator,
        @Nullable String demoServer,
        @Nullable String key,
        Path logs) {

    /** One replica. */
    public record Replica(String name, Child child, int port, String adminUrl) {
        public long pid() {
            return child.pid();
        }
    }

    /** Never shows the key. */
    @Override
    public String toString() {
        return "UpAddresses[" + url + "]";
    }
}

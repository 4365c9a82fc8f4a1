package io.penstock.cli.up;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How this program starts itself again: through the launcher that started it, which knows the
 * flags, or with this JVM's own class path where there was none.
 */
final class Launch {
    private Launch() {}

    static List<String> command(String... arguments) {
        List<String> command = new ArrayList<>();
        String launcher = System.getProperty("penstock.launcher");
        if (launcher != null) {
            command.add(launcher);
        } else {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
            command.add("io.penstock.cli.Main");
        }
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * A child neither builds nor takes all cores for its carrier threads: several replicas share
     * the machine.
     *
     * @param sharers how many share the cores
     * @param newCache the start-up cache that the child is to write, null for none
     */
    static Map<String, String> environment(int sharers, @Nullable Path newCache) {
        int carriers = Math.max(1, Runtime.getRuntime().availableProcessors() / sharers);
        String options = System.getenv().getOrDefault("PENSTOCK_JAVA_OPTS", "");
        return Map.of(
                "PENSTOCK_BUILD",
                "never",
                "PENSTOCK_JAVA_OPTS",
                ("-Djdk.virtualThreadScheduler.parallelism=" + carriers + " " + options).trim(),
                // A variable of its own, because the launcher splits options at spaces.
                "PENSTOCK_NEW_CACHE",
                newCache == null ? "" : newCache.toString());
    }
}

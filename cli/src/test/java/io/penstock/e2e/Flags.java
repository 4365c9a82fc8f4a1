package io.penstock.e2e;

import java.util.List;

/** The JVM flags that the launcher gives a replica. */
final class Flags {
    private Flags() {}

    static List<String> ofLauncher() {
        return List.of("-Xmx256m", "-XX:+UseParallelGC");
    }
}

package io.penstock.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Programs of others that the tests need. Where one is missing a test is skipped, except in CI,
 * where it fails.
 */
final class Tools {
    private static final boolean STRICT =
            Boolean.parseBoolean(System.getenv("PENSTOCK_TEST_STRICT"));

    /** Where the pinned packages of the official MCP programs are. */
    static final Path MCP = Path.of("src", "test", "fixtures", "mcp").toAbsolutePath();

    private Tools() {}

    static String require(String name, List<Path> places) {
        for (Path place : places) {
            if (Files.isExecutable(place)) return place.toString();
        }
        return missing(name + " is not installed: apt-get install " + name);
    }

    /** Node.js, with the fixtures' packages installed as their lock file says. */
    static String node() {
        String node =
                require(
                        "nodejs",
                        List.of(Path.of("/usr/bin/node"), Path.of("/usr/local/bin/node")));
        if (!Files.isDirectory(MCP.resolve("node_modules"))) {
            Program.run(
                    "npm-ci",
                    Duration.ofMinutes(5),
                    List.of(
                            "npm",
                            "ci",
                            "--prefix",
                            MCP.toString(),
                            "--ignore-scripts",
                            "--no-audit"));
        }
        return node;
    }

    private static String missing(String what) {
        if (STRICT) throw new AssertionError(what);
        Assumptions.abort(what);
        throw new IllegalStateException(what);
    }
}

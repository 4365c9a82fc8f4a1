package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** One {@code penstock serve} in a process of its own, from the distribution's jars. */
final class Replica implements AutoCloseable {
    private final String name;
    private final int port;
    private final int adminPort;
    private final Path config;
    private @Nullable Program program;

    private Replica(String name, int port, int adminPort, Path config) {
        this.name = name;
        this.port = port;
        this.adminPort = adminPort;
        this.config = config;
    }

    static Replica of(String name, Settings settings) {
        return of(name, settings, Ports.free(), "");
    }

    /**
     * One with its ports and its file, not running yet.
     *
     * @param listenExtra more keys of {@code listen}, each with a comma before it
     */
    static Replica of(String name, Settings settings, int port, String listenExtra) {
        int adminPort = Ports.free();
        String yaml =
                settings.copy()
                        .set("replica", name)
                        .set("listen", "{ address: \"127.0.0.1:" + port + "\"" + listenExtra + " }")
                        .admin(adminPort)
                        .yaml();
        return new Replica(name, port, adminPort, settings.file("replica-" + name + ".yaml", yaml));
    }

    /** Starts it, for the first time or again on the same ports; returns at once. */
    Replica launch() {
        return launch(command(List.of("serve", "--config", config.toString())), Map.of());
    }

    /** The same from another version's distribution. */
    Replica launchFrom(Distribution version) {
        return launch(version.command(List.of("serve", "--config", config.toString())), Map.of());
    }

    /** Its configuration file. */
    Path config() {
        return config;
    }

    /** With more in its environment. */
    Replica launchWith(Map<String, String> environment) {
        return launch(command(List.of("serve", "--config", config.toString())), environment);
    }

    /** With one carrier thread, as {@code up} gives each of two replicas on two processors. */
    Replica launchOnOneCarrier() {
        return launch(
                command(List.of("serve", "--config", config.toString())),
                Map.of("JDK_JAVA_OPTIONS", "-Djdk.virtualThreadScheduler.parallelism=1"));
    }

    /** The same as a person would: by the launcher's script. */
    Replica launchByLauncher() {
        return launch(
                List.of("../penstock", "serve", "--config", config.toString()),
                Map.of("PENSTOCK_BUILD", "never"));
    }

    private Replica launch(List<String> command, Map<String, String> environment) {
        if (program != null) program.close();
        program = Program.start("replica-" + name, command, environment);
        return this;
    }

    /**
     * A command line of {@code penstock} with the launcher's own flags, without its search for a
     * JDK.
     */
    static List<String> command(List<String> arguments) {
        return Distribution.PRESENT.command(arguments);
    }

    String name() {
        return name;
    }

    int port() {
        return port;
    }

    int adminPort() {
        return adminPort;
    }

    Program program() {
        return Objects.requireNonNull(program, "not launched");
    }

    void awaitReady() {
        awaitHealth("/health/ready", 200);
    }

    void awaitAdmitting() {
        awaitHealth("/health/admit", 200);
    }

    void awaitHealth(String path, int status) {
        Await.until(
                "replica " + name + " answers " + status + " at " + path,
                () -> {
                    if (!program().alive()) throw program().failure("it ended");
                    return health(path).status() == status;
                });
    }

    Wire.Answer health(String path) throws IOException {
        try (Wire wire = Wire.open(adminPort)) {
            return wire.call(Wire.request("GET", path, List.of("Connection: close"), new byte[0]));
        }
    }

    JsonNode admit() throws IOException {
        return health("/health/admit").json();
    }

    /** Asks it to end as an orchestrator does, and waits for its exit status. */
    OptionalInt terminate(Duration bound) {
        program().signal("TERM");
        return program().awaitExit(bound);
    }

    /** Ends it without a word. */
    void kill() {
        program().signal("KILL");
        if (program().awaitExit(Await.LONG).isEmpty()) throw program().failure("it lives on");
    }

    /** Ends it at once: how a replica leaves in order is a test of its own. */
    @Override
    public void close() {
        if (program != null && program.alive()) program.signal("KILL");
        if (program != null) program.close();
    }
}

package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** One {@code penstock serve} in a process of its own, from the distribution's jars. */
final class Replica implements AutoCloseable {
    private static final Path JARS = Path.of("target", "dist", "lib").toAbsolutePath();

    private final String name;
    private final int port;
    private final int adminPort;
    private final Path config;
    private Program program;

    private Replica(String name, int port, int adminPort, Path config) {
        this.name = name;
        this.port = port;
        this.adminPort = adminPort;
        this.config = config;
        this.program = launch(name, config);
    }

    /** Starts one; returns at once. */
    static Replica start(String name, Settings settings, String listenExtra) {
        int port = Ports.free();
        int adminPort = Ports.free();
        String yaml =
                settings.copy()
                        .set("replica", name)
                        .set("listen", "{ address: \"127.0.0.1:" + port + "\"" + listenExtra + " }")
                        .set("admin", "{ listen: \"127.0.0.1:" + adminPort + "\" }")
                        .yaml();
        return new Replica(name, port, adminPort, settings.file("replica-" + name + ".yaml", yaml));
    }

    static Replica start(String name, Settings settings) {
        return start(name, settings, "");
    }

    private static Program launch(String name, Path config) {
        return Program.start(
                "replica-" + name,
                command(List.of("serve", "--config", config.toString())),
                Map.of());
    }

    /**
     * A command line of {@code penstock} with the launcher's own flags, without its search for a
     * JDK.
     */
    static List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Flags.ofLauncher());
        command.addAll(List.of("-cp", JARS + "/*", "io.penstock.cli.Main"));
        command.addAll(arguments);
        return command;
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
        return program;
    }

    /** Starts it again on the same ports after its process ended. */
    void restart() {
        program.close();
        program = launch(name, config);
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
                    if (!program.alive()) throw program.failure("it ended");
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

    /** The value of a Prometheus sample whose name and labels are exactly as given, or 0. */
    double metric(String sample) throws IOException {
        return health("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith(sample + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
                .sum();
    }

    OptionalInt terminate(Duration bound) {
        program.signal("TERM");
        return program.awaitExit(bound);
    }

    void kill() {
        program.signal("KILL");
        if (program.awaitExit(Await.LONG).isEmpty()) throw program.failure("it survived a kill -9");
    }

    @Override
    public void close() {
        program.close();
    }
}

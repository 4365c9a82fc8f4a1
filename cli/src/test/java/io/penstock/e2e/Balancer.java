package io.penstock.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A real HAProxy in front of the replicas. It deals single requests out in turn, so that a
 * session's requests hop between replicas, and takes a replica out when its readiness says so.
 */
final class Balancer implements AutoCloseable {
    private static final List<Path> PROGRAMS =
            List.of(Path.of("/usr/sbin/haproxy"), Path.of("/usr/local/sbin/haproxy"));

    private final Program program;
    private final int port;

    private Balancer(Program program, int port) {
        this.program = program;
        this.port = port;
    }

    /**
     * Closes each connection to a replica after its answer, so that a leaving replica is never
     * raced.
     */
    static Balancer start(List<Replica> replicas) {
        return start(replicas, "option http-server-close");
    }

    /**
     * With a choice of how connections to the replicas are kept.
     *
     * @param connections lines of HAProxy's {@code defaults} section
     */
    static Balancer start(List<Replica> replicas, String connections) {
        int port = Ports.free();
        Path config = Program.FOLDER.resolve("haproxy-" + port + ".cfg");
        try {
            Files.createDirectories(Program.FOLDER);
            Files.writeString(config, config(port, replicas, connections));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String haproxy = Tools.require("haproxy", PROGRAMS);
        Program program =
                Program.start(
                        "haproxy", List.of(haproxy, "-db", "-f", config.toString()), Map.of());
        Await.until(
                "HAProxy listens",
                () -> {
                    if (!program.alive()) throw program.failure("it ended");
                    Wire.open(port).close();
                    return true;
                });
        return new Balancer(program, port);
    }

    private static String config(int port, List<Replica> replicas, String connections) {
        String servers =
                replicas.stream()
                        .map(
                                replica ->
                                        "    server %s 127.0.0.1:%d check port %d inter 200ms fall 3 rise 1"
                                                .formatted(
                                                        replica.name(),
                                                        replica.port(),
                                                        replica.adminPort()))
                        .collect(Collectors.joining("\n"));
        return """
        global
            maxconn 4000
            nbthread 1
            log stdout format raw local0
        defaults
            mode http
            log global
            timeout connect 2s
            timeout client 120s
            timeout server 120s
            timeout check 10s
            %s
            option abortonclose
            option httplog
            option dontlog-normal
            retries 3
            option redispatch 1
        frontend public
            bind 127.0.0.1:%d
            default_backend replicas
        backend replicas
            balance roundrobin
            option httpchk GET /health/ready
        %s
        """
                .formatted(connections, port, servers);
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        program.close();
    }
}

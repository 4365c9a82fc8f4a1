package io.penstock.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A real nginx with one worker: as the stub that answers, and as the proxy that the gateway is
 * compared with.
 */
final class Nginx implements AutoCloseable {
    private static final List<Path> PROGRAMS =
            List.of(Path.of("/usr/sbin/nginx"), Path.of("/usr/local/sbin/nginx"));

    private final Program program;
    private final int port;

    private Nginx(Program program, int port) {
        this.program = program;
        this.port = port;
    }

    /** Answers every request with the same JSON. */
    static Nginx stub() {
        String answer = Upstream.result("1").replace("\"", "\\\"");
        return start("stub", "", "default_type application/json; return 200 \"" + answer + "\";");
    }

    /** Passes every request to another port over kept HTTP/1.1 connections. */
    static Nginx proxy(int upstreamPort) {
        return start(
                "proxy",
                "upstream stub { server 127.0.0.1:%d; keepalive 64; keepalive_requests 1000000000; }"
                        .formatted(upstreamPort),
                "proxy_pass http://stub; proxy_http_version 1.1; proxy_set_header Connection"
                        + " \"\";");
    }

    private static Nginx start(String name, String upstream, String location) {
        int port = Ports.free();
        Path folder = Program.FOLDER.resolve("nginx-" + name + "-" + port);
        try {
            Files.createDirectories(folder);
            Files.writeString(
                    folder.resolve("nginx.conf"), config(folder, port, upstream, location));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Program program =
                Program.start(
                        "nginx-" + name,
                        List.of(
                                Tools.require("nginx", PROGRAMS),
                                "-p",
                                folder.toString(),
                                "-c",
                                "nginx.conf",
                                "-e",
                                "stderr"),
                        Map.of());
        Await.until(
                "nginx listens",
                () -> {
                    if (!program.alive()) throw program.failure("it ended");
                    Wire.open(port).close();
                    return true;
                });
        return new Nginx(program, port);
    }

    private static String config(Path folder, int port, String upstream, String location) {
        return """
        %5$s
        daemon off;
        worker_processes 1;
        pid %1$s/pid;
        events { worker_connections 4096; }
        http {
            access_log off;
            keepalive_requests 1000000000;
            client_body_temp_path %1$s/body;
            proxy_temp_path %1$s/proxy;
            fastcgi_temp_path %1$s/fastcgi;
            uwsgi_temp_path %1$s/uwsgi;
            scgi_temp_path %1$s/scgi;
            %3$s
            server {
                listen 127.0.0.1:%2$d;
                location / { %4$s }
            }
        }
        """
                .formatted(folder, port, upstream, location, user());
    }

    /** The worker's user where nginx may choose one, so that it can enter the tests' folder. */
    private static String user() {
        return System.getProperty("user.name").equals("root") ? "user root;" : "";
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        program.close();
    }
}

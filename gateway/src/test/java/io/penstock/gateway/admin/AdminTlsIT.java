package io.penstock.gateway.admin;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.config.AdminConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.ListenConfig.ServerTls;
import io.penstock.gateway.config.Readiness;
import io.penstock.gateway.door.Certificates;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The admin listener with TLS, for operators who show a certificate. */
final class AdminTlsIT {
    @TempDir static Path folder;

    private static Certificates server;
    private static Certificates operator;
    private static Certificates stranger;

    private final Meters meters = new Meters(List.of("files"));
    private AdminPlane plane;

    @BeforeAll
    static void makeCertificates() {
        server = Certificates.make(folder, "server", "EC");
        operator = Certificates.make(folder, "operator", "EC");
        stranger = Certificates.make(folder, "stranger", "EC");
    }

    @BeforeEach
    void start() {
        FakeReplica replica = new FakeReplica();
        ServerTls tls = new ServerTls(server.certificate, server.key, operator.certificate, true);
        plane =
                new AdminPlane(
                        SHARED,
                        new AdminConfig(new ListenConfig("127.0.0.1", 0, false, tls), null),
                        Readiness.ANSWER,
                        new AdminPlane.Ports(replica, replica, replica, replica),
                        meters,
                        new AdminPlane.Sources(
                                System::nanoTime, InstantSource.system(), UUID::randomUUID));
        plane.start();
    }

    @AfterEach
    void stop() {
        plane.close();
        meters.close();
    }

    private int live(SSLContext context) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create("https://127.0.0.1:" + plane.port() + "/health/live"))
                        .build();
        try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        }
    }

    @Test
    void certificate_ofTheConfiguredAuthority_isServed() throws Exception {
        assertThat(live(server.clientContext(operator))).isEqualTo(200);
    }

    @Test
    void certificate_missingOrUnknown_isTurnedAway() {
        for (SSLContext context : List.of(server.clientContext(), server.clientContext(stranger))) {
            assertThatThrownBy(() -> live(context)).isInstanceOf(IOException.class);
        }
    }
}

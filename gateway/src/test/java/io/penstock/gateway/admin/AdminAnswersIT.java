package io.penstock.gateway.admin;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.gateway.config.AdminConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.Readiness;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The admin plane's less usual answers: a stop line by line, and clients of HTTP/1.0. */
@Timeout(60)
final class AdminAnswersIT {
    @TempDir Path directory;

    private final FakeReplica replica = new FakeReplica();
    private final Meters meters = new Meters(List.of("files"));
    private final HttpClient client = HttpClient.newHttpClient();
    private AdminPlane plane;

    @BeforeEach
    void start() throws IOException {
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "- { id: breaker, sha256: "
                                + HexFormat.of().formatHex(AdminToken.digest("stop-token"))
                                + ", role: stop }\n");
        plane =
                new AdminPlane(
                        SHARED,
                        new AdminConfig(new ListenConfig("127.0.0.1", 0, false, null), tokens),
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
        client.close();
    }

    @Test
    void stop_callerWatches_seesEachLineWhenItHappens() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        replica.meanwhile =
                () -> {
                    try {
                        assertThat(seen.await(30, TimeUnit.SECONDS)).isTrue();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                };
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + plane.port() + "/v1/stops"))
                        .timeout(Duration.ofSeconds(20))
                        .header("Authorization", "Bearer stop-token")
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/x-ndjson")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"scopes\":[{\"kind\":\"all\"}],\"reason\":\"x\\ny\","
                                                + "\"waitMs\":5000}"))
                        .build();

        var response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());

        assertThat(response.headers().firstValue("Content-Type")).contains(StopLines.TYPE);
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            JsonNode held = event(lines, "held");
            assertThat(held.path("outlivesRestart").asBoolean()).isTrue();
            assertThat(held.path("confirmation").isNull()).isTrue();
            assertThat(event(lines, "recorded").path("epoch").asInt()).isEqualTo(8);
            assertThat(event(lines, "replica").path("kind").asText()).isEqualTo("acked");
            seen.countDown();
            JsonNode answer = event(lines, "answer");
            assertThat(answer.path("confirmation").path("result").asText()).isEqualTo("confirmed");
            assertThat(lines.readLine()).isNull();
        }
    }

    private static JsonNode event(BufferedReader lines, String name) throws IOException {
        JsonNode line = new ObjectMapper().readTree(lines.readLine());
        assertThat(line.path("event").asText()).isEqualTo(name);
        return line;
    }

    @ParameterizedTest
    @CsvSource({
        "'GET /health/ready HTTP/1.0', '', 200",
        "'GET /health/ready HTTP/1.0', 'Host: gate', 200",
        "'GET /health/ready HTTP/1.0', 'Connection: keep-alive', 200",
        "'HEAD /health/ready HTTP/1.0', '', 200",
        "'GET /health/admit HTTP/1.0', '', 503",
        "'GET /nothing HTTP/1.0', '', 404",
        "'GET /health/ready HTTP/1.0', 'Host: a b', 400",
        "'GET /health/ready HTTP/1.0', 'Content-Length: 5', 400",
        "'GET /health/ready HTTP/1.0', 'Transfer-Encoding: chunked', 400",
        "'OPTIONS / HTTP/1.0', '', 505",
        "'POST /v1/stops HTTP/1.0', '', 505",
        "'GET /health/ready HTTP/1.2', 'Host: gate', 505",
        "'GET /health/ready HTTP/2.0', 'Host: gate', 505",
        "'GET /health/ready HTTP/1.1', '', 400",
    })
    void http10_look_isAnsweredAndTheConnectionClosed(String line, String header, int status)
            throws Exception {
        replica.whyClosed = "a stop";

        String answer = exchange(line + "\r\n" + (header.isEmpty() ? "" : header + "\r\n"));

        assertThat(answer).startsWith("HTTP/1.1 " + status + " ").contains("Connection: close\r\n");
        assertThat(answer).doesNotContain("chunked");
        if (line.startsWith("HEAD")) {
            assertThat(answer).endsWith("\r\n\r\n");
        }
    }

    /** Sends a head and reads until the other side closes. */
    private String exchange(String head) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", plane.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

package io.penstock.gateway.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.penstock.cluster.alert.Alert;
import io.penstock.gateway.config.AlertsConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WebhookIT {
    private static final Alert ALERT =
            new Alert(
                    UUID.randomUUID(),
                    "daily-cost",
                    "cost",
                    "{\"tenant\": \"acme\"}",
                    80,
                    4_100_000,
                    5_000_000,
                    Instant.parse("2026-01-02T03:04:05Z"));

    private final List<String> received = Collections.synchronizedList(new ArrayList<>());
    private final HttpServer server =
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    private volatile int status = 204;

    WebhookIT() throws IOException {
        server.createContext(
                "/",
                exchange -> {
                    received.add(
                            exchange.getRequestHeaders().getFirst("Authorization")
                                    + " "
                                    + new String(exchange.getRequestBody().readAllBytes()));
                    exchange.getResponseHeaders().add("Location", "http://127.0.0.1:1/");
                    exchange.sendResponseHeaders(status, -1);
                    exchange.close();
                });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Webhook webhook() {
        return new Webhook(
                new AlertsConfig(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/hook"),
                        Map.of("Authorization", "secret")));
    }

    @Test
    void send_alert_postsItAsJson() throws IOException {
        assertThat(webhook().send(ALERT)).isTrue();

        String text = received.getFirst();
        assertThat(text).startsWith("secret ");
        JsonNode json = new ObjectMapper().readTree(text.substring(7));
        assertThat(json.path("id").asText()).isEqualTo(ALERT.id().toString());
        assertThat(json.path("budget").asText()).isEqualTo("daily-cost");
        assertThat(json.path("scope").path("tenant").asText()).isEqualTo("acme");
        assertThat(json.path("percent").asInt()).isEqualTo(80);
        assertThat(json.path("used").asLong()).isEqualTo(4_100_000);
        assertThat(json.path("at").asText()).isEqualTo("2026-01-02T03:04:05Z");
    }

    @ParameterizedTest
    @CsvSource({"500", "404", "302"})
    void send_anythingButSuccess_isNotDelivered(int answer) {
        status = answer;

        assertThat(webhook().send(ALERT)).isFalse();
        assertThat(received).hasSize(1);
    }

    @Test
    void send_nobodyListens_isNotDelivered() {
        server.stop(0);

        assertThat(webhook().send(ALERT)).isFalse();
    }
}

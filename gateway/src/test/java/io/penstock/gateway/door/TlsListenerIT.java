package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.config.ListenConfig.ServerTls;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsListenerIT {
    private static final String GET = "GET /x HTTP/1.1\r\nHost: gate\r\n\r\n";

    @TempDir static Path directory;

    private static Certificates server;
    private static Certificates agent;
    private static Certificates stranger;

    @BeforeAll
    static void makeCertificates() {
        server = Certificates.make(directory, "server", "EC");
        agent = Certificates.make(directory, "agent", "RSA");
        stranger = Certificates.make(directory, "stranger", "EC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void http1_overEitherVersion_isServed(String version) throws IOException {
        try (Listening listening = listening(null, false, Listening::echo);
                RawClient client = client(listening, server.clientContext(), version)) {
            String body = "0123456789abcdef".repeat(50_000);
            for (int i = 0; i < 3; i++) {
                client.send("POST /x HTTP/1.1\r\nHost: gate\r\n");
                client.send("Content-Length: " + body.length() + "\r\n\r\n" + body);

                assertThat(client.answer().body()).isEqualTo(body);
            }
            assertThat(listening.requests.getFirst().certificate()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void keyChange_byTheClient_isAnsweredOrEndsTheConnection(String version) throws IOException {
        try (Listening listening = listening(null, false, Listening::echo);
                RawClient client = client(listening, server.clientContext(), version)) {
            assertThat(client.send(GET).answer().status()).isEqualTo(200);
            ((SSLSocket) client.socket).startHandshake();
            if (version.equals("TLSv1.3")) {
                // A key update, after which the connection works as before.
                assertThat(client.send(GET).answer().status()).isEqualTo(200);
            } else {
                // A renegotiation.
                client.sendWhatGoes(GET.getBytes(StandardCharsets.US_ASCII));
                assertThat(client.rest()).isEmpty();
            }
            assertThat(listening.requests).hasSize(version.equals("TLSv1.3") ? 2 : 1);
        }
    }

    @Test
    void http2_negotiated_isServed() throws Exception {
        try (Listening listening = listening(null, false, Listening::echo);
                HttpClient client = http2(server.clientContext())) {
            String body = "0123456789abcdef".repeat(100_000);
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> answer =
                        client.send(
                                request(listening)
                                        .POST(HttpRequest.BodyPublishers.ofString(body))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());

                assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(answer.body()).isEqualTo(body);
            }
            assertThat(listening.listener.connections()).isEqualTo(1);
        }
    }

    @Test
    void http2_clientThatLeavesAStream_isNoticed() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Listening listening =
                        listening(null, false, (request, reply) -> untilGone(reply, gone));
                HttpClient client = http2(server.clientContext())) {
            HttpResponse<InputStream> answer =
                    client.send(
                            request(listening).build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(answer.statusCode()).isEqualTo(200);

            answer.body().close();

            assertThat(gone.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void http1_clientThatLeaves_isNoticed() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Listening listening =
                listening(null, false, (request, reply) -> untilGone(reply, gone))) {
            try (RawClient client = client(listening, server.clientContext(), "TLSv1.3")) {
                assertThat(client.send(GET).line()).isEqualTo("HTTP/1.1 200 OK");
            }
            assertThat(gone.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void clientCertificate_accepted_reachesTheHandler() throws Exception {
        SSLContext context = server.clientContext(agent);
        for (boolean required : new boolean[] {true, false}) {
            try (Listening listening = listening(agent.certificate, required, Listening::echo);
                    HttpClient client = http2(context);
                    RawClient raw = client(listening, context, "TLSv1.3")) {
                assertThat(raw.send(GET).answer().status()).isEqualTo(200);
                assertThat(
                                client.send(
                                                request(listening).build(),
                                                HttpResponse.BodyHandlers.discarding())
                                        .version())
                        .isEqualTo(HttpClient.Version.HTTP_2);

                for (InboundRequest each : listening.requests) {
                    assertThat(each.certificate())
                            .extracting(X509Certificate::getSubjectX500Principal)
                            .hasToString("CN=agent");
                    assertThat(each.headers().first("X-Helidon-CN")).isNull();
                }
                assertThat(listening.requests).hasSize(2);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void clientCertificate_requiredAndMissingOrUnknown_isTurnedAway(String version)
            throws IOException {
        try (Listening listening = listening(agent.certificate, true, Listening::echo)) {
            for (SSLContext context :
                    new SSLContext[] {server.clientContext(), server.clientContext(stranger)}) {
                assertThatThrownBy(
                                () -> {
                                    try (RawClient client = client(listening, context, version)) {
                                        client.send(GET).answer();
                                    }
                                })
                        .isInstanceOfAny(IOException.class, UncheckedIOException.class);
            }
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void clientCertificate_optionalAndMissing_isServedWithout() throws IOException {
        try (Listening listening = listening(agent.certificate, false, Listening::echo);
                RawClient client = client(listening, server.clientContext(), "TLSv1.3")) {
            assertThat(client.send(GET).answer().status()).isEqualTo(200);
            assertThat(listening.requests.getFirst().certificate()).isNull();
        }
    }

    /** In the handshake too nobody may hold a connection for longer than a head may take. */
    @Test
    void handshake_thatStops_isClosed() throws IOException {
        LimitsConfig limits =
                Listening.hasty(
                        Duration.ofMillis(300), Duration.ofMinutes(5), Duration.ofMinutes(5));
        ListenConfig listen = new ListenConfig("127.0.0.1", 0, false, tls(null, false));
        try (Listening listening = Listening.at(listen, limits, Listening::echo)) {
            byte[] hello = {22, 3, 1, 0, 100, 1, 0, 0};
            for (byte[] part : new byte[][] {{}, hello}) {
                try (RawClient client = listening.client()) {
                    assertThat(client.send(part).rest()).isEmpty();
                }
            }
            assertThat(listening.timedOut("idle")).isEqualTo(2);
        }
    }

    /** Above TLS too a client that was too slow is told so. */
    @Test
    void request_thatStops_isAnsweredAndClosed() throws IOException {
        LimitsConfig limits =
                Listening.hasty(
                        Duration.ofSeconds(2), Duration.ofMillis(300), Duration.ofMinutes(5));
        ListenConfig listen = new ListenConfig("127.0.0.1", 0, false, tls(null, false));
        try (Listening listening = Listening.at(listen, limits, Listening::echo)) {
            for (String part :
                    new String[] {
                        "POST /x HT", "POST /x HTTP/1.1\r\nHost: g\r\nContent-Length: 9\r\n\r\nab"
                    }) {
                try (RawClient client = client(listening, server.clientContext(), "TLSv1.3")) {
                    assertThat(client.send(part).answer().status()).isEqualTo(408);
                    assertThat(client.rest()).isEmpty();
                }
            }
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void plainText_toATlsPort_isClosed() throws IOException {
        try (Listening listening = listening(null, false, Listening::echo)) {
            try (RawClient client = listening.client()) {
                assertThat(client.send(GET).rest()).doesNotContain("HTTP");
            }
            try (RawClient client = client(listening, server.clientContext(), "TLSv1.3")) {
                assertThat(client.send(GET).answer().status()).isEqualTo(200);
            }
            assertThat(listening.requests).hasSize(1);
        }
    }

    @Test
    void key_thatCannotBeUsed_isNamedWithWhatToDo() throws IOException {
        Path key = directory.resolve("sec1.key");
        Files.writeString(
                key, "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----");
        ServerTls sec1 = new ServerTls(server.certificate, key, null, false);
        ServerTls missing =
                new ServerTls(server.certificate, directory.resolve("none"), null, false);
        ServerTls nobody = new ServerTls(server.certificate, server.key, null, true);

        assertThatThrownBy(() -> ServerTlsContext.load(sec1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(key.toString())
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
        assertThatThrownBy(() -> ServerTlsContext.load(missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none");
        assertThatThrownBy(() -> ServerTlsContext.load(nobody))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("client-ca");
    }

    private static void untilGone(Reply reply, CountDownLatch gone) {
        reply.begin(200, new HeaderBlock());
        reply.whenGone(gone::countDown);
        try {
            if (!gone.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("never told");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Listening listening(
            @Nullable Path clientCa, boolean required, RequestHandler handler) {
        return Listening.at(
                new ListenConfig("127.0.0.1", 0, false, tls(clientCa, required)),
                LimitsConfig.DEFAULT,
                handler);
    }

    private static ServerTls tls(@Nullable Path clientCa, boolean required) {
        return new ServerTls(server.certificate, server.key, clientCa, required);
    }

    private static RawClient client(Listening listening, SSLContext context, String version)
            throws IOException {
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", listening.port());
        socket.setEnabledProtocols(new String[] {version});
        return RawClient.over(socket);
    }

    private static HttpClient http2(SSLContext context) {
        return HttpClient.newBuilder()
                .sslContext(context)
                .version(HttpClient.Version.HTTP_2)
                .build();
    }

    private static HttpRequest.Builder request(Listening listening) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + listening.port() + "/x"))
                .timeout(Listening.PATIENCE);
    }
}

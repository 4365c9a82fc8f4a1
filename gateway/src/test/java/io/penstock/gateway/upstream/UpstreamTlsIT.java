package io.penstock.gateway.upstream;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.config.ServerConfig.ClientTls;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.UpstreamException.Kind;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLServerSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS towards upstreams: who is trusted, who we are, and that nothing of it can hang. */
@Timeout(60)
final class UpstreamTlsIT {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    @TempDir static Path directory;

    private static TestCertificates here;
    private static TestCertificates elsewhere;
    private static TestCertificates agent;

    @BeforeAll
    static void makeCertificates() throws Exception {
        here = TestCertificates.make(directory, "here", "ip:127.0.0.1");
        elsewhere = TestCertificates.make(directory, "elsewhere", "dns:other.example");
        agent = TestCertificates.make(directory, "agent", "dns:penstock.example");
    }

    private static ScriptedServer server(
            TestCertificates identity, boolean needsClient, ScriptedServer.Script script)
            throws Exception {
        SSLServerSocket listener =
                (SSLServerSocket)
                        identity.context(agent)
                                .getServerSocketFactory()
                                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listener.setNeedClientAuth(needsClient);
        return new ScriptedServer(listener, script);
    }

    private static void serve(ScriptedServer.Peer peer) throws Exception {
        while (peer.request() != null) {
            peer.say(OK);
        }
    }

    private static PooledUpstream upstream(ScriptedServer server, @Nullable ClientTls tls) {
        return new PooledUpstream(
                SHARED,
                Exchanges.config(
                        URI.create("https://127.0.0.1:" + server.port() + "/"), Map.of(), tls, 8),
                System::nanoTime);
    }

    private static ClientTls trusting(TestCertificates authority) {
        return new ClientTls(authority.certificate, null, null);
    }

    @Test
    void open_trustedAuthority_works() throws Exception {
        try (ScriptedServer server = server(here, false, UpstreamTlsIT::serve);
                PooledUpstream upstream = upstream(server, trusting(here))) {
            for (int i = 0; i < 5; i++) {
                assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
            }
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void open_largeBody_arrivesAndTheConnectionIsKept() throws Exception {
        String body = "x".repeat(3_000_000);
        try (ScriptedServer server = server(here, false, UpstreamTlsIT::serve);
                PooledUpstream upstream = upstream(server, trusting(here))) {
            assertThat(Exchanges.post(upstream, body).body()).isEqualTo("ok");
            assertThat(Exchanges.post(upstream, body).body()).isEqualTo("ok");
            assertThat(server.requests.size()).isEqualTo(2);
        }
    }

    @Test
    void open_unknownAuthority_isRefused() throws Exception {
        assertRefused(here, trusting(elsewhere));
        assertRefused(here, null);
    }

    @Test
    void open_certificateOfAnotherHost_isRefused() throws Exception {
        assertRefused(elsewhere, trusting(elsewhere));
    }

    private static void assertRefused(TestCertificates identity, @Nullable ClientTls tls)
            throws Exception {
        try (ScriptedServer server = server(identity, false, UpstreamTlsIT::serve);
                PooledUpstream upstream = upstream(server, tls)) {
            assertThatThrownBy(upstream::open)
                    .isInstanceOfSatisfying(
                            UpstreamException.class,
                            e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE));
            assertThat(server.requests).isEmpty();
            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void open_clientCertificateIsAskedFor_isGiven() throws Exception {
        try (ScriptedServer server = server(here, true, UpstreamTlsIT::serve);
                PooledUpstream upstream =
                        upstream(
                                server,
                                new ClientTls(here.certificate, agent.certificate, agent.key))) {
            assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
        }
    }

    @Test
    void open_clientCertificateIsMissing_fails() throws Exception {
        try (ScriptedServer server = server(here, true, UpstreamTlsIT::serve);
                PooledUpstream upstream = upstream(server, trusting(here))) {
            assertThatThrownBy(() -> Exchanges.post(upstream, "{}"))
                    .isInstanceOf(UpstreamException.class);
            assertThat(server.requests).isEmpty();
        }
    }

    @Test
    void open_peerClosedTheKeptConnection_makesAnother() throws Exception {
        try (ScriptedServer server =
                        server(
                                here,
                                false,
                                peer -> {
                                    peer.request();
                                    peer.say(OK);
                                });
                PooledUpstream upstream = upstream(server, trusting(here))) {
            Exchanges.post(upstream, "{}");
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (upstream.idleConnections() == 1 && System.nanoTime() - end < 0) {
                upstream.open().finish();
                if (server.connections() > 1) {
                    break;
                }
            }

            assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
        }
    }

    @Test
    void open_peerDoesNotShakeHands_failsWithinTheConnectTimeout() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> new CountDownLatch(1).await());
                PooledUpstream upstream = upstream(server, trusting(here))) {
            long start = System.nanoTime();
            assertThatThrownBy(upstream::open).isInstanceOf(UpstreamException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(20));
        }
    }

    @Test
    void cut_whileReadingAndWriting_wakesBothAndReturnsAtOnce() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        try (ScriptedServer server =
                        server(
                                here,
                                false,
                                peer -> {
                                    peer.head();
                                    stalled.countDown();
                                    new CountDownLatch(1).await();
                                });
                PooledUpstream upstream = upstream(server, trusting(here))) {
            HttpExchange exchange = (HttpExchange) upstream.open();
            exchange.prepare("POST", "/", new HeaderBlock(), new byte[16 * 1024 * 1024]);
            exchange.sendFirst();
            exchange.sendRest(() -> true);
            FutureTask<Kind> reading =
                    new FutureTask<>(
                            () -> {
                                try {
                                    exchange.readHead();
                                    throw new AssertionError("there is no answer");
                                } catch (UpstreamException e) {
                                    return e.kind();
                                }
                            });
            Thread.ofVirtual().start(reading);
            stalled.await();

            FutureTask<Void> cutting = new FutureTask<>(exchange::cut, null);
            Thread.ofPlatform().daemon().start(cutting);

            cutting.get(10, TimeUnit.SECONDS);
            assertThat(reading.get(30, TimeUnit.SECONDS)).isEqualTo(Kind.CUT);
            exchange.awaitBody();
        }
    }

    @Test
    void configuration_filesThatCannotBeUsed_saysWhichAndShowsNothing() throws Exception {
        Path garbage = Files.writeString(directory.resolve("garbage.pem"), "secret garbage");
        Path missing = directory.resolve("missing.pem");

        assertThatThrownBy(() -> ClientTlsContext.of(new ClientTls(garbage, null, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("garbage.pem")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> ClientTlsContext.of(new ClientTls(missing, null, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing.pem");
        assertThatThrownBy(
                        () -> ClientTlsContext.of(new ClientTls(null, here.certificate, garbage)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> ClientTlsContext.of(new ClientTls(null, here.certificate, null)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}

package io.penstock.gateway.upstream;

import static io.penstock.gateway.socket.TestPollers.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.UpstreamException.Kind;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections are kept, bounded, replaced when the other side closed them, and made in time. */
@Timeout(60)
final class PooledUpstreamIT {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private static void serve(ScriptedServer.Peer peer, String answer) throws Exception {
        while (peer.request() != null) {
            peer.say(answer);
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("waited for 30 s");
            }
            Thread.sleep(2);
        }
    }

    @Test
    void open_afterExchange_usesTheSameConnection() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK));
                PooledUpstream upstream = Exchanges.upstream(server)) {
            for (int i = 0; i < 5; i++) {
                assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
            }

            assertThat(server.connections()).isEqualTo(1);
            assertThat(upstream.idleConnections()).isEqualTo(1);
            assertThat(upstream.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void open_peerClosedTheKeptConnection_makesAnother() throws Exception {
        Semaphore closing = new Semaphore(0);
        try (ScriptedServer server =
                        new ScriptedServer(
                                peer -> {
                                    peer.request();
                                    peer.say(OK);
                                    peer.socket.close();
                                    closing.release();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            for (int i = 0; i < 10; i++) {
                assertThat(Exchanges.post(upstream, "{}").status()).isEqualTo(200);
                closing.acquire();
            }

            assertThat(server.connections()).isEqualTo(10);
            assertThat(upstream.openConnections()).isEqualTo(1);
        }
    }

    @Test
    void open_peerSpokeUnasked_makesAnother() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        try (ScriptedServer server =
                        new ScriptedServer(
                                peer -> {
                                    peer.request();
                                    peer.say(OK);
                                    peer.out.write(
                                            "HTTP/1.1 408 Timeout\r\n\r\n".getBytes("ASCII"));
                                    said.countDown();
                                    peer.waitForEnd();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchanges.post(upstream, "{}");
            said.await();

            Exchanges.post(upstream, "{}");

            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void finish_answerSaysClose_doesNotKeep() throws Exception {
        String answer = "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok";
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, answer));
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchanges.post(upstream, "{}");

            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void finish_moreBytesThanTheAnswer_doesNotKeep() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK + "HTTP/1.1 2"));
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");

            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void finish_bodyNotReadToItsEnd_doesNotKeep() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK));
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange exchange = upstream.open();
            exchange.prepare("GET", "/", new HeaderBlock(), new byte[0]);
            exchange.sendFirst();
            exchange.readHead();
            exchange.finish();

            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void finish_moreThanTheBulkheadAllows_keepsThatMany() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK));
                PooledUpstream upstream =
                        new PooledUpstream(
                                SHARED,
                                Exchanges.config(server.url("/"), Map.of(), null, 3),
                                System::nanoTime)) {
            List<Exchange> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(upstream.open());
            }
            all.forEach(Exchange::finish);

            assertThat(upstream.idleConnections()).isEqualTo(3);
            assertThat(upstream.openConnections()).isEqualTo(3);
        }
    }

    @Test
    void sweep_keptTooLong_closes() throws Exception {
        AtomicLong now = new AtomicLong();
        CountDownLatch gone = new CountDownLatch(1);
        try (ScriptedServer server =
                        new ScriptedServer(
                                peer -> {
                                    serve(peer, OK);
                                    gone.countDown();
                                });
                PooledUpstream upstream =
                        new PooledUpstream(SHARED, Exchanges.config(server.url("/")), now::get)) {
            Exchanges.post(upstream, "{}");
            now.set(ConnectionPool.IDLE_NANOS);

            gone.await();
            await(() -> upstream.openConnections() == 0);
        }
    }

    @Test
    void open_peerNamesAShorterTime_doesNotUseItForLonger() throws Exception {
        AtomicLong now = new AtomicLong();
        String answer =
                "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=2, max=9\r\nContent-Length: 2\r\n\r\nok";
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, answer));
                PooledUpstream upstream =
                        new PooledUpstream(SHARED, Exchanges.config(server.url("/")), now::get)) {
            Exchanges.post(upstream, "{}");
            now.set(Duration.ofSeconds(1).toNanos());
            Exchanges.post(upstream, "{}");

            assertThat(server.connections()).isEqualTo(2);
        }
    }

    @Test
    void close_keptConnections_areClosed() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (ScriptedServer server =
                new ScriptedServer(
                        peer -> {
                            serve(peer, OK);
                            gone.countDown();
                        })) {
            PooledUpstream upstream = Exchanges.upstream(server);
            Exchanges.post(upstream, "{}");

            upstream.close();

            gone.await();
            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void open_nobodyListens_failsUnreachable() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        assertUnreachable("http://127.0.0.1:" + port + "/");
    }

    @Test
    void open_nameIsUnknown_failsUnreachable() {
        assertUnreachable("http://no-such-host.invalid/");
    }

    private static void assertUnreachable(String url) {
        try (PooledUpstream upstream =
                new PooledUpstream(SHARED, Exchanges.config(URI.create(url)), System::nanoTime)) {
            assertThatThrownBy(upstream::open)
                    .isInstanceOfSatisfying(
                            UpstreamException.class,
                            e -> assertThat(e.kind()).isEqualTo(Kind.UNREACHABLE));
            assertThat(upstream.connectFailures()).isEqualTo(1);
            assertThat(upstream.openConnections()).isZero();
        }
    }

    @Test
    void open_connectionsAreNotTaken_failsWithinTheConnectTimeout() throws Exception {
        // A full accept queue: the kernel drops further SYNs, as a dead host would.
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> waiting = new ArrayList<>();
            try {
                assumeTrue(filled(full, waiting), "this kernel's accept queue could be filled");
                long start = System.nanoTime();
                assertUnreachable("http://127.0.0.1:" + full.getLocalPort() + "/");
                assertThat(Duration.ofNanos(System.nanoTime() - start))
                        .isBetween(Duration.ofMillis(1900), Duration.ofSeconds(20));
            } finally {
                for (Socket each : waiting) {
                    each.close();
                }
            }
        }
    }

    /** Connects until it was refused twice in a row: once may be a machine under load. */
    private static boolean filled(ServerSocket full, List<Socket> waiting) throws Exception {
        int refused = 0;
        for (int i = 0; i < 16 && refused < 2; i++) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(full.getLocalSocketAddress(), 700);
                refused = 0;
            } catch (java.io.IOException queueIsFull) {
                refused++;
            }
        }
        return refused == 2;
    }

    @Test
    void open_name_isResolved() throws Exception {
        try (ScriptedServer server = new ScriptedServer(peer -> serve(peer, OK));
                PooledUpstream upstream =
                        new PooledUpstream(
                                SHARED,
                                Exchanges.config(
                                        URI.create("http://localhost:" + server.port() + "/")),
                                System::nanoTime)) {
            Exchanges.post(upstream, "{}");

            assertThat(server.requests.getFirst()).contains("Host: localhost:" + server.port());
        }
    }
}

package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.UpstreamException.Kind;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upstreams that misbehave on a real socket: the exchange ends, and the next call works. */
@Timeout(60)
final class HostileUpstreamIT {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final String STREAM =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n";

    /** Misbehaves on its first connection only. */
    private static ScriptedServer server(ScriptedServer.Script first) throws Exception {
        java.util.concurrent.atomic.AtomicBoolean turn =
                new java.util.concurrent.atomic.AtomicBoolean();
        return new ScriptedServer(
                peer -> {
                    if (turn.compareAndSet(false, true)) {
                        first.run(peer);
                        return;
                    }
                    while (peer.request() != null) {
                        peer.say(OK);
                    }
                });
    }

    private static void assertNextWorks(PooledUpstream upstream) {
        assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("ok");
        assertThat(upstream.openConnections()).isEqualTo(1);
    }

    private static void assertFails(PooledUpstream upstream, Kind kind) {
        assertThatThrownBy(() -> Exchanges.post(upstream, "{}"))
                .isInstanceOfSatisfying(
                        UpstreamException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH_9.2\r\n",
                "\u0016\u0003\u0003\u0000\u0001",
                "<html><body>500</body></html>\r\n\r\n",
                "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n"
            })
    void answer_garbage_fails(String garbage) throws Exception {
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.say(garbage);
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertThatThrownBy(() -> Exchanges.post(upstream, "{}"))
                    .isInstanceOf(UpstreamException.class);
            assertNextWorks(upstream);
        }
    }

    @Test
    void answer_endlessHead_fails() throws Exception {
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.say("HTTP/1.1 200 OK\r\n");
                                    while (true) {
                                        peer.say("X-Again: " + "x".repeat(1000) + "\r\n");
                                    }
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertFails(upstream, Kind.NOT_HTTP);
            assertNextWorks(upstream);
        }
    }

    @Test
    void answer_none_fails() throws Exception {
        try (ScriptedServer server = server(ScriptedServer.Peer::request);
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertFails(upstream, Kind.BROKE_OFF);
            assertNextWorks(upstream);
        }
    }

    @Test
    void answer_reset_fails() throws Exception {
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.socket.setSoLinger(true, 0);
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertFails(upstream, Kind.BROKE_OFF);
            assertNextWorks(upstream);
        }
    }

    @Test
    void stream_closedMidEvent_givesWhatCameThenFails() throws Exception {
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.say(STREAM + "b\r\ndata: one\n\n\r\n64\r\ndata: tw");
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange exchange = begin(upstream, "{}");
            StringBuilder got = new StringBuilder();

            assertThatThrownBy(() -> collect(exchange, got))
                    .isInstanceOfSatisfying(
                            UpstreamException.class,
                            e -> assertThat(e.kind()).isEqualTo(Kind.BROKE_OFF));

            exchange.finish();
            assertThat(got.toString()).isEqualTo("data: one\n\ndata: tw");
            assertNextWorks(upstream);
        }
    }

    private static Exchange begin(Upstream upstream, String body) {
        Exchange exchange = upstream.open();
        exchange.prepare(
                "POST", "/mcp", new HeaderBlock(), body.getBytes(StandardCharsets.ISO_8859_1));
        exchange.sendFirst();
        exchange.sendRest(() -> true);
        assertThat(exchange.readHead()).isEqualTo(200);
        return exchange;
    }

    private static void collect(Exchange exchange, StringBuilder into) {
        byte[] piece = new byte[4096];
        int taken;
        while ((taken = exchange.read(piece, 0, piece.length)) >= 0) {
            into.append(new String(piece, 0, taken, StandardCharsets.ISO_8859_1));
        }
    }

    @Test
    void stream_eachEvent_comesBeforeTheNextIsSent() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.say(STREAM + "b\r\ndata: one\n\n\r\n");
                                    seen.await();
                                    peer.say("b\r\ndata: two\n\n\r\n0\r\n\r\n");
                                    peer.waitForEnd();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange exchange = begin(upstream, "{}");
            byte[] piece = new byte[4096];

            assertThat(exchange.read(piece, 0, piece.length)).isEqualTo(11);
            seen.countDown();
            assertThat(exchange.read(piece, 0, piece.length)).isEqualTo(11);
            assertThat(exchange.read(piece, 0, piece.length)).isEqualTo(-1);

            exchange.finish();
            assertThat(upstream.idleConnections()).isEqualTo(1);
        }
    }

    @Test
    void stream_eventOf5MegabytesInOneChunk_passesInPieces() throws Exception {
        int size = 5 * 1024 * 1024;
        CountDownLatch begun = new CountDownLatch(1);
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    byte[] event = "x".repeat(size).getBytes("ASCII");
                                    peer.say(STREAM + Integer.toHexString(size) + "\r\n");
                                    peer.out.write(event, 0, 1000);
                                    begun.await();
                                    peer.out.write(event, 1000, size - 1000);
                                    peer.say("\r\n0\r\n\r\n");
                                    peer.waitForEnd();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange exchange = begin(upstream, "{}");
            byte[] piece = new byte[64 * 1024];
            long total = exchange.read(piece, 0, piece.length);
            assertThat(total).isBetween(1L, 1000L);
            begun.countDown();
            int taken;
            while ((taken = exchange.read(piece, 0, piece.length)) >= 0) {
                total += taken;
            }

            exchange.finish();
            assertThat(total).isEqualTo(size);
            assertNextWorksOnTheSame(upstream);
        }
    }

    private static void assertNextWorksOnTheSame(PooledUpstream upstream) {
        assertThat(upstream.idleConnections()).isEqualTo(1);
    }

    @Test
    void answer_oneByteAtATime_isRead() throws Exception {
        String answer = STREAM + "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n";
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.socket.setTcpNoDelay(true);
                                    peer.request();
                                    for (char each : answer.toCharArray()) {
                                        peer.out.write(each);
                                        Thread.yield();
                                    }
                                    peer.waitForEnd();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            assertThat(Exchanges.post(upstream, "{}").body()).isEqualTo("hello!");
            assertThat(upstream.idleConnections()).isEqualTo(1);
        }
    }

    @Test
    void answer_redirect_isPassedOnAndNotFollowed() throws Exception {
        try (ScriptedServer other = server(peer -> peer.request())) {
            String answer =
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: "
                            + other.url("/elsewhere")
                            + "\r\nContent-Length: 0\r\n\r\n";
            try (ScriptedServer server =
                            server(
                                    peer -> {
                                        peer.request();
                                        peer.say(answer);
                                        peer.waitForEnd();
                                    });
                    PooledUpstream upstream = Exchanges.upstream(server)) {
                Exchanges.Answer got = Exchanges.post(upstream, "{}");

                assertThat(got.status()).isEqualTo(307);
                assertThat(got.headers().first("Location"))
                        .isEqualTo(other.url("/elsewhere").toString());
                assertThat(server.requests).hasSize(1);
                assertThat(other.connections()).isZero();
            }
        }
    }

    @Test
    void answer_earlyWhileTheBodyIsNotRead_isRead() throws Exception {
        String body = "x".repeat(16 * 1024 * 1024);
        String answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig";
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.head();
                                    peer.say(answer);
                                    new CountDownLatch(1).await();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchanges.Answer got = Exchanges.post(upstream, body);

            assertThat(got.status()).isEqualTo(413);
            assertThat(got.body()).isEqualTo("big");
            assertThat(upstream.openConnections()).isZero();
            assertNextWorks(upstream);
        }
    }

    @Test
    void request_largeBody_arrivesWhole() throws Exception {
        String body = "0123456789".repeat(500_000);
        try (ScriptedServer server =
                        new ScriptedServer(
                                peer -> {
                                    for (String got; (got = peer.request()) != null; ) {
                                        peer.say(got.endsWith(body) ? OK : OK.replace("ok", "no"));
                                    }
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            for (int i = 0; i < 3; i++) {
                assertThat(Exchanges.post(upstream, body).body()).isEqualTo("ok");
            }
            assertThat(server.connections()).isEqualTo(1);
        }
    }

    @Test
    void cut_whileWaitingForTheAnswer_wakes() throws Exception {
        assertCutWakes("");
    }

    @Test
    void cut_withinTheHead_wakes() throws Exception {
        assertCutWakes("HTTP/1.1 200 OK\r\nContent-");
    }

    @Test
    void cut_withinTheBody_wakes() throws Exception {
        assertCutWakes(STREAM + "b\r\ndata: one\n\n\r\n");
    }

    private static void assertCutWakes(String beforeTheStall) throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        CountDownLatch noticed = new CountDownLatch(1);
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.request();
                                    peer.say(beforeTheStall);
                                    stalled.countDown();
                                    try {
                                        peer.waitForEnd();
                                    } finally {
                                        noticed.countDown();
                                    }
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange exchange = upstream.open();
            exchange.prepare("POST", "/mcp", new HeaderBlock(), new byte[] {'{', '}'});
            exchange.sendFirst();
            exchange.sendRest(() -> true);
            FutureTask<Kind> reading = new FutureTask<>(() -> kindOfFailure(exchange));
            Thread.ofVirtual().start(reading);
            stalled.await();

            exchange.cut();

            assertThat(reading.get(30, TimeUnit.SECONDS)).isEqualTo(Kind.CUT);
            assertThat(noticed.await(30, TimeUnit.SECONDS)).isTrue();
            exchange.finish();
            assertNextWorks(upstream);
        }
    }

    private static Kind kindOfFailure(Exchange exchange) {
        try {
            exchange.readHead();
            Exchanges.drain(exchange);
            throw new AssertionError("the answer ended");
        } catch (UpstreamException e) {
            return e.kind();
        }
    }

    @Test
    void cut_whileTheBodyIsNotTaken_wakesTheWriter() throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        try (ScriptedServer server =
                        server(
                                peer -> {
                                    peer.head();
                                    stalled.countDown();
                                    new CountDownLatch(1).await();
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            HttpExchange exchange = (HttpExchange) upstream.open();
            exchange.prepare("POST", "/mcp", new HeaderBlock(), new byte[16 * 1024 * 1024]);
            exchange.sendFirst();
            exchange.sendRest(() -> true);
            stalled.await();

            exchange.cut();

            exchange.awaitBody();
            assertNextWorks(upstream);
        }
    }

    @Test
    void cut_afterTheEnd_doesNotTouchTheNextExchange() throws Exception {
        try (ScriptedServer server =
                        new ScriptedServer(
                                peer -> {
                                    while (peer.request() != null) {
                                        peer.say(OK);
                                    }
                                });
                PooledUpstream upstream = Exchanges.upstream(server)) {
            Exchange first = begin(upstream, "{}");
            Exchanges.drain(first);
            first.finish();
            Exchange second = upstream.open();

            first.cut();
            first.finish();

            second.prepare("GET", "/", new HeaderBlock(), new byte[0]);
            second.sendFirst();
            second.sendRest(() -> true);
            assertThat(second.readHead()).isEqualTo(200);
            assertThat(Exchanges.drain(second)).isEqualTo("ok");
            second.finish();
            assertThat(upstream.openConnections()).isEqualTo(1);
            assertThat(server.connections()).isEqualTo(1);
            assertThat(upstream.idleConnections()).isEqualTo(1);
        }
    }
}

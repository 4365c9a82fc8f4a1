package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Clients that do not go on: none of them may hold anything for longer than its limit. */
class SlowClientsIT {
    private static final String HEAD = "POST /x HTTP/1.1\r\nHost: gate\r\n";
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(300);

    @Test
    void socket_silent_isClosed() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(SHORT, LONG, LONG), Listening::echo);
                RawClient client = listening.client()) {
            assertThat(client.rest()).isEmpty();
            assertThat(listening.timedOut("idle")).isEqualTo(1);
        }
    }

    @Test
    void head_thatStops_isAnsweredAndClosed() {
        try (Listening listening =
                Listening.plain(Listening.hasty(SHORT, LONG, LONG), Listening::echo)) {
            for (String part : new String[] {"P", "POST /x", HEAD, HEAD + "A: b"}) {
                try (RawClient client = listening.client()) {
                    assertTold(client.send(part));
                }
            }
            assertThat(listening.timedOut("header")).isEqualTo(4);
            assertThat(listening.requests).isEmpty();
        }
    }

    /** The second request of a connection, with its first bytes in the first one's packet. */
    @Test
    void head_thatStopsBehindAnotherRequest_isAnsweredAndClosed() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(SHORT, LONG, LONG), Listening::echo);
                RawClient client = listening.client()) {
            client.send(HEAD + "\r\n" + "GET /y HT");
            assertThat(client.answer().status()).isEqualTo(200);
            assertTold(client);
        }
    }

    private static void assertTold(RawClient client) {
        RawClient.Answer answer = client.answer();
        assertThat(answer.status()).isEqualTo(408);
        assertThat(answer.header("Connection")).isEqualTo("close");
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.body()).contains("\"status\":408").contains("\"too-slow\"");
        assertThat(client.rest()).isEmpty();
    }

    /** What comes after the answer is thrown away, and does not cost the client its answer. */
    @Test
    void request_thatComesTooLate_isNotServed() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, SHORT, LONG), Listening::echo);
                RawClient client = listening.client()) {
            client.send(HEAD + "Content-Length: 5\r\n\r\nhel");
            Listening.eventually("it is late", () -> listening.timedOut("body") == 1);
            client.sendWhatGoes("lo".getBytes(StandardCharsets.US_ASCII));
            client.sendWhatGoes((HEAD + "\r\n").getBytes(StandardCharsets.US_ASCII));
            assertTold(client);
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void request_thatTricklesOnAfterItsAnswer_isCut() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, SHORT, LONG), Listening::echo);
                RawClient client = listening.client()) {
            client.send(HEAD + "Content-Length: 60000\r\n\r\n");
            assertTold(client);
            Listening.eventually(
                    "it is cut",
                    () -> {
                        client.sendWhatGoes(new byte[] {'a'});
                        return listening.closed.get() == 1;
                    });
        }
    }

    /** A byte now and then must not buy time. */
    @Test
    void head_thatTrickles_isClosed() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(SHORT, LONG, LONG), Listening::echo);
                RawClient client = listening.client()) {
            client.send(HEAD);
            Listening.eventually(
                    "the trickling client is cut off",
                    () -> {
                        client.sendWhatGoes(new byte[] {'a'});
                        return listening.timedOut("header") == 1;
                    });
        }
    }

    @Test
    void body_thatStopsOrTrickles_isAnsweredAndClosed() {
        try (Listening listening =
                Listening.plain(Listening.hasty(LONG, SHORT, LONG), Listening::echo)) {
            for (String part :
                    new String[] {
                        HEAD + "Content-Length: 9\r\n\r\nhel",
                        HEAD + "Transfer-Encoding: chunked\r\n\r\n",
                        HEAD + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
                    }) {
                try (RawClient client = listening.client()) {
                    assertTold(client.send(part));
                }
            }
            try (RawClient client = listening.client()) {
                client.send(HEAD + "Content-Length: 60000\r\n\r\n");
                Listening.eventually(
                        "the trickling client is cut off",
                        () -> {
                            client.sendWhatGoes(new byte[] {'a'});
                            return listening.timedOut("body") == 4;
                        });
            }
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void connection_idle_isClosed() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, LONG, SHORT), Listening::echo);
                RawClient client = listening.client()) {
            assertThat(client.send(HEAD + "\r\n").answer().status()).isEqualTo(200);
            assertThat(client.rest()).isEmpty();
            assertThat(listening.timedOut("idle")).isEqualTo(1);
        }
    }

    /** No limit of the door runs while a handler works. */
    @Test
    void handler_slowerThanEveryLimit_isWaitedFor() {
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(SHORT, SHORT, SHORT),
                                (request, reply) -> {
                                    sleep(SHORT.multipliedBy(4));
                                    Listening.text(reply, "late");
                                });
                RawClient client = listening.client()) {
            assertThat(client.send(HEAD + "\r\n").answer().body()).isEqualTo("late");
        }
    }

    @Test
    void reader_thatNeverReads_isCutByItsOwnLimit() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(LONG, SHORT, LONG),
                                (request, reply) -> flood(reply, ended));
                RawClient client = narrow(listening)) {
            client.send(HEAD + "\r\n");

            assertThat(ended.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(listening.timedOut("write")).isEqualTo(1);
        }
    }

    @Test
    void reader_thatNeverReads_isCutByWake() throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicReference<Reply> open = new AtomicReference<>();
        AtomicLong written = new AtomicLong();
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(LONG, LONG, LONG),
                                (request, reply) -> {
                                    open.set(reply);
                                    flood(reply, ended, written);
                                });
                RawClient client = narrow(listening)) {
            client.send(HEAD + "\r\n");
            awaitStuck(written);
            assertThat(ended.getCount()).isEqualTo(1);

            open.get().wake();

            assertThat(ended.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A client that reads gets the last words of a call that is cut, and keeps its connection. */
    @Test
    void wake_whileTheClientReads_letsTheLastEventOut() {
        AtomicReference<Reply> open = new AtomicReference<>();
        CountDownLatch woken = new CountDownLatch(1);
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(LONG, LONG, LONG),
                                (request, reply) -> {
                                    reply.begin(200, new HeaderBlock());
                                    open.set(reply);
                                    SlowClientsIT.await(woken);
                                    sleep(Duration.ofMillis(200));
                                    reply.write(new byte[] {'x'}, 0, 1);
                                    reply.end();
                                });
                RawClient client = listening.client()) {
            client.send(HEAD + "\r\n");
            Listening.eventually("the answer has begun", () -> open.get() != null);
            open.get().wake();
            woken.countDown();

            assertThat(client.answer().body()).isEqualTo("x");
            assertThat(client.send(HEAD + "\r\n").answer().body()).isEqualTo("x");
        }
    }

    private static void flood(Reply reply, CountDownLatch ended) {
        flood(reply, ended, new AtomicLong());
    }

    private static void flood(Reply reply, CountDownLatch ended, AtomicLong written) {
        byte[] bytes = new byte[32 * 1024];
        reply.begin(200, new HeaderBlock());
        try {
            while (true) {
                reply.write(bytes, 0, bytes.length);
                written.incrementAndGet();
            }
        } catch (Reply.ClientGone e) {
            ended.countDown();
            throw e;
        }
    }

    /** Until nothing more goes into the socket's buffers. */
    private static void awaitStuck(AtomicLong written) {
        AtomicLong seen = new AtomicLong(-1);
        AtomicLong since = new AtomicLong(System.nanoTime());
        Listening.eventually(
                "the writer is stuck",
                () -> {
                    long now = written.get();
                    if (now != seen.getAndSet(now)) {
                        since.set(System.nanoTime());
                    }
                    return now > 0 && System.nanoTime() - since.get() > 500_000_000L;
                });
    }

    private static RawClient narrow(Listening listening) {
        try {
            Socket socket = new Socket();
            socket.setReceiveBufferSize(8 * 1024);
            socket.connect(
                    new InetSocketAddress(InetAddress.getByName("127.0.0.1"), listening.port()));
            return RawClient.over(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Clients that leave while their call runs over HTTP/1.1. */
class GoneClientsIT {
    private static final String GET = "GET /x HTTP/1.1\r\nHost: gate\r\n\r\n";

    /** Waits silently until it is told that its client has gone. */
    private static final class Silent {
        final CountDownLatch waiting = new CountDownLatch(1);
        final CountDownLatch gone = new CountDownLatch(1);
        final CountDownLatch ended = new CountDownLatch(1);
        private final boolean streaming;

        Silent(boolean streaming) {
            this.streaming = streaming;
        }

        void handle(InboundRequest request, Reply reply) {
            reply.whenGone(gone::countDown);
            if (streaming) {
                reply.begin(200, new HeaderBlock());
            }
            waiting.countDown();
            try {
                if (!gone.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("never told");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            ended.countDown();
        }
    }

    @Test
    void client_closing_isNoticed() throws Exception {
        for (boolean streaming : new boolean[] {false, true}) {
            Silent silent = new Silent(streaming);
            try (Listening listening = Listening.plain(LimitsConfig.DEFAULT, silent::handle)) {
                try (RawClient client = listening.client()) {
                    client.send(GET);
                    silent.waiting.await();
                }

                assertEnds(silent);
                Listening.eventually("closed", () -> listening.listener.connections() == 0);
            }
        }
    }

    @Test
    void client_resetting_isNoticed() throws Exception {
        Silent silent = new Silent(true);
        try (Listening listening = Listening.plain(LimitsConfig.DEFAULT, silent::handle)) {
            try (RawClient client = listening.client()) {
                client.send(GET);
                silent.waiting.await();
                client.socket.setSoLinger(true, 0);
            } catch (SocketException e) {
                throw new AssertionError(e);
            }

            assertEnds(silent);
        }
    }

    /** The watch must not take bytes away from the connection's next request. */
    @Test
    void connection_afterAWatchedCall_servesTheNext() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (request, reply) -> {
                                    reply.whenGone(() -> {});
                                    sleep(200);
                                    Listening.text(reply, request.target());
                                });
                RawClient client = listening.client()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(GET).answer().body()).isEqualTo("/x");
            }
            // The next request comes while the watch for the first is on.
            client.send(GET);
            sleep(120);
            client.send("GET /y HTTP/1.1\r\nHost: gate\r\n\r\n" + GET);

            assertThat(client.answer().body()).isEqualTo("/x");
            assertThat(client.answer().body()).isEqualTo("/y");
            assertThat(client.answer().body()).isEqualTo("/x");
        }
    }

    /** Several times, because the client may leave before the write of its answer has returned. */
    @RepeatedTest(10)
    void client_goneAfterItsAnswer_concernsNobody() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (Listening listening =
                Listening.plain(
                        LimitsConfig.DEFAULT,
                        (request, reply) -> {
                            reply.whenGone(told::countDown);
                            sleep(150);
                            Listening.text(reply, "ok");
                        })) {
            try (RawClient client = listening.client()) {
                client.send(GET).answer();
            }
            Listening.eventually("closed", () -> listening.listener.connections() == 0);

            assertThat(told.await(200, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    private static void assertEnds(Silent silent) throws InterruptedException {
        long left = System.nanoTime();
        assertThat(silent.ended.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(System.nanoTime() - left).isLessThan(TimeUnit.SECONDS.toNanos(5));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.config.ListenConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DrainIT {
    private static final String GET = "GET /x HTTP/1.1\r\nHost: gate\r\n\r\n";

    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);

    @Test
    void drain_begun_answersAreTheirConnectionsLast() {
        try (Listening listening = Listening.echo();
                RawClient kept = listening.client()) {
            assertThat(kept.send(GET).answer().header("Connection")).isNull();
            listening.listener.beginDrain();

            RawClient.Answer last = kept.send(GET).answer();

            assertThat(last.status()).isEqualTo(200);
            assertThat(last.header("Connection")).isEqualTo("close");
            assertThat(kept.rest()).isEmpty();
            try (RawClient late = listening.client()) {
                assertThat(late.send(GET).answer().header("Connection")).isEqualTo("close");
            }
        }
    }

    @Test
    void close_callInItsGrace_isLetFinish() throws InterruptedException {
        Listening listening = Listening.plain(LimitsConfig.DEFAULT, this::untilReleased);
        try (RawClient busy = listening.client();
                RawClient idle = listening.client()) {
            busy.send(GET);
            running.await();
            Thread closing =
                    Thread.startVirtualThread(() -> listening.listener.close(Listening.PATIENCE));
            assertThat(idle.rest()).isEmpty();
            assertRefused(listening);
            assertThat(closing.isAlive()).isTrue();

            release.countDown();

            RawClient.Answer answer = busy.answer();
            assertThat(answer.body()).isEqualTo("done");
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(closing.join(Listening.PATIENCE)).isTrue();
            assertThat(listening.listener.connections()).isZero();
        }
    }

    @Test
    void close_streamBeyondItsGrace_isCutShort() throws InterruptedException {
        Listening listening = Listening.plain(LimitsConfig.DEFAULT, this::streamUntilGone);
        try (RawClient client = listening.client()) {
            client.send(GET);
            running.await();

            listening.listener.close(Duration.ofMillis(100));

            assertThat(gone.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(client.rest()).endsWith("\r\n\r\n1\r\na\r\n");
            assertThat(listening.listener.connections()).isZero();
            assertThat(listening.listener.calls()).isZero();
        }
    }

    @Test
    void close_twiceOrNeverStarted_isHarmless() {
        Listening listening = Listening.echo();
        listening.close();
        listening.close();

        assertThatThrownBy(listening.listener::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void port_sharedByTwo_isServedByBothAndByTheOneLeft() {
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        try (Listening one =
                        Listening.at(
                                new ListenConfig("127.0.0.1", 0, true, null),
                                (request, reply) -> counted(first, reply));
                Listening two =
                        Listening.at(
                                new ListenConfig("127.0.0.1", one.port(), true, null),
                                (request, reply) -> counted(second, reply))) {
            assertThat(two.port()).isEqualTo(one.port());
            Listening.eventually(
                    "both have been asked",
                    () -> {
                        ask(one.port());
                        return first.get() > 0 && second.get() > 0;
                    });
            one.listener.close(Duration.ZERO);
            int before = second.get();
            for (int i = 0; i < 10; i++) {
                ask(two.port());
            }

            assertThat(second.get() - before).isEqualTo(10);
        }
    }

    /** Closing the listening socket takes a moment; what was accepted meanwhile is closed. */
    private static void assertRefused(Listening listening) {
        Listening.eventually(
                "nothing is accepted any more",
                () -> {
                    try (RawClient late = listening.client()) {
                        assertThat(late.rest()).isEmpty();
                        return false;
                    } catch (UncheckedIOException e) {
                        return true;
                    }
                });
    }

    private static void ask(int port) {
        try (RawClient client = RawClient.connect(port)) {
            assertThat(client.send(GET).answer().status()).isEqualTo(200);
        }
    }

    private static void counted(AtomicInteger count, Reply reply) {
        count.incrementAndGet();
        Listening.text(reply, "ok");
    }

    private void untilReleased(InboundRequest request, Reply reply) {
        running.countDown();
        await(release);
        Listening.text(reply, "done");
    }

    private void streamUntilGone(InboundRequest request, Reply reply) {
        reply.begin(200, new HeaderBlock());
        reply.write(new byte[] {'a'}, 0, 1);
        reply.whenGone(gone::countDown);
        running.countDown();
        await(gone);
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(Listening.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("waited in vain");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

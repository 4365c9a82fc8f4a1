package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 by prior knowledge, frame by frame. */
class Http2ListenerIT {
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration SHORT = Duration.ofMillis(400);

    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);

    @Test
    void request_reachesTheHandlerAsItWasSent() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            String target = "/http/a/%2F..;p=1//b?q=%20+&r=/?x";
            client.head(1, "PATCH", target, FrameClient.END_HEADERS, "x-a", "b", "x-a", "c");
            client.data(1, "hel", false).data(1, "lo", true);

            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.next(1, FrameClient.DATA).text()).isEqualTo("hello");
            InboundRequest request = listening.requests.getFirst();
            assertThat(request.method()).isEqualTo("PATCH");
            assertThat(request.target()).isEqualTo(target);
            assertThat(request.headers().first("Host")).isEqualTo("gate");
            assertThat(request.headers().count("X-A")).isEqualTo(2);
            for (String odd : new String[] {"//", "/?", "/a?b?c", "/%00", "/./a/../b"}) {
                int stream = 1 + 2 * listening.requests.size();
                client.get(stream, odd);
                assertThat(client.status(stream)).as(odd).isEqualTo(200);
                assertThat(listening.requests.getLast().target()).isEqualTo(odd);
            }
        }
    }

    @Test
    void answer_withoutItsBody_keepsTheLengthThatItNames() {
        try (Listening listening =
                        Listening.plain(LimitsConfig.DEFAULT, Http1ListenerIT::describe);
                FrameClient client = FrameClient.connect(listening.port())) {
            int whole = FrameClient.END_HEADERS | FrameClient.END_STREAM;
            client.head(1, "HEAD", "/200", whole).get(3, "/304").get(5, "/200");
            FrameClient.Frame head = client.next(1, FrameClient.HEADERS);
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.length()).isEqualTo(5_000_000_000L);
            head = client.next(3, FrameClient.HEADERS);
            assertThat(head.status()).isEqualTo(304);
            assertThat(head.length()).isEqualTo(5_000_000_000L);
            assertThat(client.next(5, FrameClient.HEADERS).length()).isEqualTo(0);
        }
    }

    /**
     * A header block without end, of empty frames: kept by Helidon one by one, it would fill the
     * heap long before the time for a head is over.
     */
    @Test
    void headerBlock_ofEmptyFramesWithoutEnd_endsTheConnection() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            client.head(1, "GET", "/", FrameClient.END_STREAM);
            for (int i = 0; i < 65; i++) {
                client.frame(FrameClient.CONTINUATION, 0, 1, new byte[0]);
            }
            assertCalmedDown(listening, client);
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void headerBlock_inManyFrames_isTaken() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            client.head(1, "GET", "/", FrameClient.END_STREAM);
            for (int i = 0; i < 63; i++) {
                client.frame(FrameClient.CONTINUATION, 0, 1, new byte[0]);
            }
            client.frame(FrameClient.CONTINUATION, FrameClient.END_HEADERS, 1, new byte[0]);
            assertThat(client.status(1)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {FrameClient.PING, FrameClient.SETTINGS, 2, 0xee})
    void framesThatAskForNothing_withoutEnd_endTheConnection(int type) throws Exception {
        byte[] payload = new byte[type == FrameClient.PING ? 8 : type == 2 ? 5 : 0];
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            Thread sender =
                    Thread.startVirtualThread(
                            () -> {
                                while (listening.refused.isEmpty()) {
                                    try {
                                        client.frame(type, 0, type == 2 ? 1 : 0, payload);
                                    } catch (UncheckedIOException e) {
                                        return;
                                    }
                                }
                            });
            // Its goodbye may be lost: closing a socket with unread bytes resets it.
            client.awaitEnd();
            assertThat(listening.refused).containsOnlyKeys("flood");
            client.socket.close();
            sender.join();
        }
    }

    private static void assertCalmedDown(Listening listening, FrameClient client) {
        FrameClient.Frame goodbye = client.next(0, FrameClient.GOAWAY);
        assertThat(goodbye.number(4)).as("ENHANCE_YOUR_CALM").isEqualTo(11);
        client.awaitEnd();
        assertThat(listening.refused).containsOnlyKeys("flood");
    }

    /** Pings as a watchful client sends them, many in a row, are answered. */
    @Test
    void pings_aThousandInARow_areAnswered() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            for (int i = 0; i < 1_000; i++) {
                client.ping();
            }
            for (int i = 0; i < 1_000; i++) {
                assertThat(client.next(0, FrameClient.PING).flags()).isEqualTo(FrameClient.ACK);
            }
            client.get(1, "/");
            assertThat(client.status(1)).isEqualTo(200);
        }
    }

    static Stream<Arguments> malformed() {
        return Stream.of(
                Arguments.of("target http://gate/x", 400, new String[] {}),
                Arguments.of("/a#b", 400, new String[] {}),
                Arguments.of("/a#", 400, new String[] {}),
                Arguments.of("/a\u00e9", 400, new String[] {}),
                Arguments.of("/x", 400, new String[] {"x-a", "b\u00e9"}),
                Arguments.of("/x", 400, new String[] {"upgrade", "websocket"}),
                Arguments.of("/x", 417, new String[] {"expect", "tea"}),
                Arguments.of("/x", 431, new String[] {"x-a", "b".repeat(4096)}));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void request_malformed_isRefusedAndOthersGoOn(String path, int status, String[] headers) {
        try (Listening listening = Listening.plain(Listening.limits(), Listening::echo);
                FrameClient client = FrameClient.connect(listening.port())) {
            client.get(1, path.replace("target ", ""), headers);

            assertThat(client.status(1)).isEqualTo(status);
            assertThat(client.next(1, FrameClient.DATA).text()).contains("\"status\":" + status);
            assertThat(listening.requests).isEmpty();
            assertThat(client.get(3, "/y").status(3)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"transfer-encoding", "connection", "Upper", "a b", ":odd"})
    void header_thatHttp2DoesNotHave_endsTheConnection(String name) {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(200);
            client.get(3, "/y", name, "chunked");

            assertThat(client.next(0, FrameClient.GOAWAY).number(0)).isEqualTo(3);
            client.awaitEnd();
            assertThat(listening.requests).hasSize(1);
        }
    }

    @Test
    void method_thatIsNotAllowed_isRefused() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            int end = FrameClient.END_HEADERS | FrameClient.END_STREAM;
            client.head(1, "TRACE", "/x", end);

            assertThat(client.status(1)).isEqualTo(405);
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void body_tooLarge_isRefusedAndOthersGoOn() {
        try (Listening listening = Listening.plain(Listening.limits(), Listening::echo);
                FrameClient client = FrameClient.connect(listening.port())) {
            client.post(1, "/x", "content-length", "70000");
            assertThat(client.status(1)).isEqualTo(413);
            client.data(1, "x".repeat(10_000), false);
            client.post(3, "/x");
            for (int i = 0; i < 7; i++) {
                client.data(3, "x".repeat(10_000), false);
            }
            assertThat(client.status(3)).isEqualTo(413);

            assertThat(client.get(5, "/y").status(5)).isEqualTo(200);
            assertThat(listening.requests).hasSize(1);
        }
    }

    /** A body that was cut off must never be taken for a whole one. */
    @Test
    void body_brokenOff_isNeverHandled() {
        try (Listening listening = Listening.plain(Listening.limits(), Listening::echo)) {
            try (FrameClient client = FrameClient.connect(listening.port())) {
                client.post(1, "/x").data(1, "hel", false).post(3, "/x").data(3, "hel", false);
                client.reset(1).get(5, "/y");
                assertThat(client.status(5)).isEqualTo(200);
            }
            Listening.eventually("closed", () -> listening.listener.connections() == 0);

            assertThat(listening.requests).hasSize(1);
            Listening.eventually("ended", () -> listening.listener.calls() == 0);
        }
    }

    @Test
    void body_slow_isResetAndOthersGoOn() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, SHORT, LONG), Listening::echo);
                FrameClient client = FrameClient.connect(listening.port())) {
            client.post(1, "/x").data(1, "hel", false);

            assertThat(client.next(1, FrameClient.RST_STREAM).payload()).hasSize(4);
            assertThat(client.get(3, "/y").status(3)).isEqualTo(200);
            assertThat(listening.requests).hasSize(1);
            assertThat(listening.timedOut("body")).isEqualTo(1);
        }
    }

    /** What Helidon would queue for a stream that nobody reads must not block the connection. */
    @Test
    void body_sentOnAfterItsReset_endsTheConnection() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, SHORT, LONG), Listening::echo);
                FrameClient client = FrameClient.connect(listening.port())) {
            client.post(1, "/x").data(1, "hel", false);
            FrameClient.Frame ignored = client.next(1, FrameClient.RST_STREAM);
            try {
                for (int i = 0; i < 200; i++) {
                    client.data(1, "x", false);
                }
            } catch (java.io.UncheckedIOException e) {
                // Closed already.
            }
            client.awaitEnd();
        }
    }

    @Test
    void head_thatStops_isClosed() {
        try (Listening listening =
                Listening.plain(Listening.hasty(SHORT, LONG, LONG), Listening::echo)) {
            try (FrameClient client = FrameClient.open(listening.port())) {
                client.write("PRI * HT".getBytes(StandardCharsets.US_ASCII)).awaitEnd();
            }
            try (FrameClient client = FrameClient.connect(listening.port())) {
                client.head(1, "GET", "/x", FrameClient.END_STREAM).awaitEnd();
            }
            assertThat(listening.timedOut("header")).isEqualTo(2);
            assertThat(listening.requests).isEmpty();
        }
    }

    /** Stream 1 has been answered: naming stream 0 would tell the client to repeat it. */
    @Test
    void connection_idle_isToldGoodbyeWithItsLastStream() {
        try (Listening listening =
                        Listening.plain(Listening.hasty(LONG, LONG, SHORT), Listening::echo);
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(200);

            FrameClient.Frame goodbye = client.next(0, FrameClient.GOAWAY);

            assertThat(goodbye.number(0)).isEqualTo(1);
            assertThat(goodbye.number(4)).isZero();
            client.awaitEnd();
        }
    }

    @Test
    void protocolError_goodbyeNamesTheLastStream() {
        try (Listening listening = Listening.echo();
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(200);
            client.frame(FrameClient.PING, 0, 0, new byte[3]);

            FrameClient.Frame goodbye = client.next(0, FrameClient.GOAWAY);

            assertThat(goodbye.number(0)).isEqualTo(1);
            assertThat(goodbye.number(4)).isNotZero();
        }
    }

    @Test
    void stream_longerThanTheIdleLimit_goesOnDespitePings() {
        CountDownLatch release = new CountDownLatch(1);
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(LONG, LONG, SHORT),
                                (request, reply) -> {
                                    reply.begin(200, new HeaderBlock());
                                    await(release);
                                    reply.write(new byte[] {'x'}, 0, 1);
                                    reply.end();
                                });
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(200);
            for (int i = 0; i < 10; i++) {
                sleep(SHORT.dividedBy(4));
                client.ping();
                FrameClient.Frame ignored = client.next(0, FrameClient.PING);
            }
            release.countDown();

            assertThat(client.next(1, FrameClient.DATA).text()).isEqualTo("x");
            assertThat(client.next(1, FrameClient.DATA).ends()).isTrue();
        }
    }

    @Test
    void stream_reset_isNoticedAndOthersGoOn() {
        try (Listening listening = Listening.plain(LimitsConfig.DEFAULT, this::streamUntilGone);
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/silent").status(1)).isEqualTo(200);
            await(running);

            client.reset(1);

            await(gone);
            assertThat(client.get(3, "/x").status(3)).isEqualTo(200);
        }
    }

    @Test
    void connection_lost_isNoticed() {
        try (Listening listening = Listening.plain(LimitsConfig.DEFAULT, this::streamUntilGone)) {
            try (FrameClient client = FrameClient.connect(listening.port())) {
                assertThat(client.get(1, "/silent").status(1)).isEqualTo(200);
                await(running);
            }
            await(gone);
            Listening.eventually("ended", () -> listening.listener.calls() == 0);
        }
    }

    @Test
    void answer_aborted_isReset() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (request, reply) -> {
                                    reply.begin(200, new HeaderBlock());
                                    reply.write(new byte[] {'x'}, 0, 1);
                                    reply.abort();
                                });
                FrameClient client = FrameClient.connect(listening.port())) {
            client.get(1, "/x");

            FrameClient.Frame data = client.next(1, FrameClient.DATA);
            assertThat(data.text()).isEqualTo("x");
            assertThat(data.ends()).isFalse();
            assertThat(client.next(1, FrameClient.RST_STREAM).number(0)).isNotZero();
            assertThat(client.get(3, "/x").status(3)).isEqualTo(200);
        }
    }

    @Test
    void handler_failing_givesAProblem() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (request, reply) -> {
                                    throw new IllegalStateException("on purpose");
                                });
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(500);
        }
    }

    @Test
    void answer_withoutContent_endsWithoutBody() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (request, reply) ->
                                        reply.send(204, new HeaderBlock(), new byte[9], 0, 9));
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(204);
            FrameClient.Frame end = client.next(1, FrameClient.DATA);
            assertThat(end.ends()).isTrue();
            assertThat(end.payload()).isEmpty();
        }
    }

    /** Helidon would send them as frames that no client can read. */
    @Test
    void answerHeaders_tooLargeForAFrame_becomeAProblem() {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (request, reply) -> {
                                    HeaderBlock large = new HeaderBlock();
                                    large.add("X-A", "b".repeat(16 * 1024));
                                    try {
                                        reply.begin(200, large);
                                    } catch (Reply.ClientGone e) {
                                        thrown.set(e);
                                    }
                                });
                FrameClient client = FrameClient.connect(listening.port())) {
            assertThat(client.get(1, "/x").status(1)).isEqualTo(502);
            Listening.eventually("the handler was told", () -> thrown.get() != null);
        }
    }

    @Test
    void reader_withoutWindow_isCutByWakeAloneAndOthersGoOn() {
        AtomicReference<Reply> stuck = new AtomicReference<>();
        CountDownLatch cut = new CountDownLatch(1);
        try (Listening listening =
                        Listening.plain(
                                Listening.hasty(LONG, LONG, LONG),
                                (request, reply) -> {
                                    if (request.target().equals("/x")) {
                                        reply.send(200, new HeaderBlock(), new byte[0], 0, 0);
                                        return;
                                    }
                                    reply.begin(200, new HeaderBlock());
                                    stuck.set(reply);
                                    try {
                                        while (true) {
                                            reply.write(new byte[1000], 0, 1000);
                                        }
                                    } catch (Reply.ClientGone e) {
                                        cut.countDown();
                                        throw e;
                                    }
                                });
                FrameClient client = FrameClient.connect(listening.port(), 2500)) {
            assertThat(client.get(1, "/flood").status(1)).isEqualTo(200);
            int read = 0;
            while (read < 2500) {
                read += client.next(1, FrameClient.DATA).payload().length;
            }
            assertThat(cut.getCount()).isEqualTo(1);

            stuck.get().wake();

            await(cut);
            assertThat(client.next(1, FrameClient.RST_STREAM).number(0)).isNotZero();
            assertThat(client.get(3, "/x").status(3)).isEqualTo(200);
        }
    }

    @Test
    void drain_begun_saysGoodbyeAndServesWhatIsUnderWay() {
        CountDownLatch release = new CountDownLatch(1);
        Listening listening =
                Listening.plain(
                        LimitsConfig.DEFAULT,
                        (request, reply) -> {
                            running.countDown();
                            await(release);
                            Listening.text(reply, "done");
                        });
        try (FrameClient client = FrameClient.connect(listening.port())) {
            client.get(1, "/x");
            await(running);
            listening.listener.beginDrain();
            assertThat(client.next(0, FrameClient.GOAWAY).number(0)).isEqualTo(Integer.MAX_VALUE);
            Thread closing =
                    Thread.startVirtualThread(() -> listening.listener.close(Listening.PATIENCE));
            release.countDown();

            assertThat(client.status(1)).isEqualTo(200);
            assertThat(client.next(1, FrameClient.DATA).text()).isEqualTo("done");
            assertThat(client.next(0, FrameClient.GOAWAY).number(0)).isEqualTo(1);
            client.awaitEnd();
            assertThat(closing.join(Listening.PATIENCE)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void streamUntilGone(InboundRequest request, Reply reply) {
        reply.begin(200, new HeaderBlock());
        if (request.target().equals("/silent")) {
            reply.whenGone(gone::countDown);
            running.countDown();
            await(gone);
        }
        reply.end();
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

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

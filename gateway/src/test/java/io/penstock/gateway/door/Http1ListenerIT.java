package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.config.LimitsConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class Http1ListenerIT {
    private static final String HOST = "Host: gate\r\n";
    private static final String GET = "GET /x HTTP/1.1\r\n" + HOST;
    private static final String POST = "POST /x HTTP/1.1\r\n" + HOST;

    @Test
    void request_plain_reachesTheHandlerAsItWasSent() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            String target = "/http/a/%2F..;p=1//b?q=%20+&r=/?x";
            client.send(
                    "PATCH "
                            + target
                            + " HTTP/1.1\r\n"
                            + HOST
                            + "X-Odd-NAME: \t a  b \t\r\nempty:\r\n"
                            + "Keep-Alive: 5\r\nTE: trailers\r\nX-Hop: 1\r\n"
                            + "Connection: keep-alive, x-hop\r\nContent-Length: 2\r\n\r\nhi");

            assertThat(client.answer().body()).isEqualTo("hi");
            InboundRequest request = listening.requests.getFirst();
            assertThat(request.method()).isEqualTo("PATCH");
            assertThat(request.target()).isEqualTo(target);
            HeaderBlock headers = request.headers();
            assertThat(headers.size()).isEqualTo(3);
            assertThat(headers.name(0)).isEqualTo("Host");
            assertThat(headers.name(1)).isEqualTo("X-Odd-NAME");
            assertThat(headers.value(1)).isEqualTo("a  b");
            assertThat(headers.first("EMPTY")).isEmpty();
            assertThat(request.certificate()).isNull();
        }
    }

    @Test
    void answer_whole_hasLengthDateAndStaysOpen() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            for (int i = 0; i < 3; i++) {
                RawClient.Answer answer = client.send(GET + "\r\n").answer();

                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("Content-Length")).isEqualTo("0");
                assertThat(answer.header("Date")).endsWith("GMT");
                assertThat(answer.header("Connection")).isNull();
            }
            assertThat(listening.listener.connections()).isEqualTo(1);
        }
    }

    @Test
    void request_pipelined_isAnsweredInOrder() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                all.append(POST).append("Content-Length: 2\r\n\r\n").append(10 + i);
            }
            client.send(all.toString());

            for (int i = 0; i < 50; i++) {
                assertThat(client.answer().body()).isEqualTo(Integer.toString(10 + i));
            }
        }
    }

    @Test
    void request_byteByByte_isTheSameRequest() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            String bytes = POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
            for (int i = 0; i < bytes.length(); i++) {
                client.send(bytes.substring(i, i + 1));
            }

            assertThat(client.answer().body()).isEqualTo("hello");
        }
    }

    @Test
    void body_largeByEitherFraming_isReadWhole() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            String body = "0123456789abcdef".repeat(LimitsConfig.DEFAULT.bodyBytes() / 16);
            client.send(POST + "Content-Length: " + body.length() + "\r\n\r\n" + body);

            assertThat(client.answer().body()).isEqualTo(body);

            client.send(POST + "Transfer-Encoding: chunked\r\n\r\n");
            for (int at = 0; at < body.length(); at += 100_003) {
                String piece = body.substring(at, Math.min(body.length(), at + 100_003));
                client.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
            }
            client.send("0\r\n\r\n");

            assertThat(client.answer().body()).isEqualTo(body);
        }
    }

    @Test
    void expect_continue_isAskedForOnlyWhereTheBodyIsNotThere() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            String head = POST + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n";
            client.send(head);
            assertThat(client.line()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(client.line()).isEmpty();

            assertThat(client.send("hello").answer().body()).isEqualTo("hello");
            assertThat(client.send(head + "there").answer().body()).isEqualTo("there");
        }
    }

    @Test
    void connectionClose_askedByTheClient_isHonoured() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            RawClient.Answer answer = client.send(GET + "Connection: CLOSE\r\n\r\n").answer();

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(client.rest()).isEmpty();
        }
    }

    @Test
    void halfClose_afterTheRequest_stillGetsItsAnswer() {
        try (Listening listening = Listening.echo();
                RawClient client = listening.client()) {
            client.send(GET + "\r\n").halfClose();

            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(client.rest()).isEmpty();
        }
    }

    @Test
    void halfClose_insideHeadOrBody_isRefused() {
        try (Listening listening = Listening.echo()) {
            for (String part :
                    new String[] {
                        GET,
                        POST + "Content-Length: 5\r\n\r\nhel",
                        POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
                        POST + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
                    }) {
                try (RawClient client = listening.client()) {
                    client.send(part).halfClose();

                    assertThat(client.answer().status()).as(part).isEqualTo(400);
                    assertThat(client.rest()).isEmpty();
                }
            }
            assertThat(listening.requests).isEmpty();
        }
    }

    @Test
    void answer_toHead_hasNoBody() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT, (q, r) -> Listening.text(r, "hello"));
                RawClient client = listening.client()) {
            client.send("HEAD / HTTP/1.1\r\n" + HOST + "\r\n");
            RawClient.Answer answer = client.answer(true);

            assertThat(answer.header("Content-Length")).isEqualTo("5");
            assertThat(client.send(GET + "\r\n").answer().body()).isEqualTo("hello");
        }
    }

    /**
     * What an upstream says of the body that it would send is passed on; anywhere else it is not.
     */
    @Test
    void answer_withoutItsBody_keepsTheLengthThatItNames() {
        try (Listening listening =
                        Listening.plain(LimitsConfig.DEFAULT, Http1ListenerIT::describe);
                RawClient client = listening.client()) {
            client.send("HEAD /200 HTTP/1.1\r\n" + HOST + "\r\n");
            RawClient.Answer answer = client.answer(true);
            assertThat(answer.lines()).filteredOn(l -> l.startsWith("Content-Length")).hasSize(1);
            assertThat(answer.header("Content-Length")).isEqualTo("5000000000");

            client.send("GET /304 HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(client.answer(true).header("Content-Length")).isEqualTo("5000000000");

            client.send("HEAD /204 HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(client.answer(true).header("Content-Length")).isNull();
            client.send("GET /200 HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(client.answer().header("Content-Length")).isEqualTo("0");
        }
    }

    static void describe(InboundRequest request, Reply reply) {
        String status = request.target().substring(1);
        HeaderBlock headers = new HeaderBlock().add("Content-Length", "5000000000");
        reply.send(status.isEmpty() ? 200 : Integer.parseInt(status), headers, new byte[0], 0, 0);
    }

    @Test
    void answer_withoutContent_hasNoFraming() {
        byte[] ignored = "ignored".getBytes(StandardCharsets.UTF_8);
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (q, r) -> {
                                    if (q.target().equals("/stream")) {
                                        r.begin(204, new HeaderBlock());
                                        r.write(ignored, 0, ignored.length);
                                        r.end();
                                        return;
                                    }
                                    r.send(304, new HeaderBlock(), ignored, 0, ignored.length);
                                });
                RawClient client = listening.client()) {
            RawClient.Answer answer = client.send(GET + "\r\n").answer();
            assertThat(answer.status()).isEqualTo(304);
            assertThat(answer.header("Content-Length")).isNull();

            answer = client.send("GET /stream HTTP/1.1\r\n" + HOST + "\r\n").answer();
            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.header("Transfer-Encoding")).isNull();
            assertThat(client.send(GET + "\r\n").answer().status()).isEqualTo(304);
        }
    }

    @Test
    void answer_streamed_comesPieceByPiece() throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (q, r) -> {
                                    r.begin(200, new HeaderBlock().add("X-A", "b"));
                                    await(first);
                                    byte[] big =
                                            "x".repeat(200_000).getBytes(StandardCharsets.US_ASCII);
                                    r.write(big, 0, 3);
                                    await(second);
                                    r.write(big, 0, big.length);
                                    r.end();
                                });
                RawClient client = listening.client()) {
            client.send(GET + "\r\n");
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(client.line()).isEqualTo("X-A: b");
            first.countDown();
            String line = client.line();
            while (!line.isEmpty()) {
                line = client.line();
            }
            assertThat(client.line()).isEqualTo("3");
            assertThat(client.line()).isEqualTo("xxx");
            second.countDown();
            int read = 0;
            for (int size = hex(client); size > 0; size = hex(client)) {
                assertThat(client.line()).hasSize(size);
                read += size;
            }
            assertThat(read).isEqualTo(200_000);
            assertThat(client.line()).isEmpty();
            assertThat(client.send(GET + "\r\n").line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    private static int hex(RawClient client) {
        return Integer.parseInt(client.line(), 16);
    }

    @Test
    void answer_aborted_lacksItsLastChunk() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (q, r) -> {
                                    r.begin(200, new HeaderBlock());
                                    r.write(new byte[] {'a'}, 0, 1);
                                    r.abort();
                                });
                RawClient client = listening.client()) {
            assertThat(client.send(GET + "\r\n").rest()).endsWith("\r\n\r\n1\r\na\r\n");
        }
    }

    @Test
    void handler_failing_givesAProblemAndCloses() {
        try (Listening listening =
                Listening.plain(
                        LimitsConfig.DEFAULT,
                        (q, r) -> {
                            if (q.target().equals("/begun")) {
                                r.begin(200, new HeaderBlock());
                            }
                            if (!q.target().equals("/silent")) {
                                throw new IllegalStateException("on purpose");
                            }
                        })) {
            for (String target : new String[] {"/", "/silent"}) {
                try (RawClient client = listening.client()) {
                    client.send("GET " + target + " HTTP/1.1\r\n" + HOST + "\r\n");

                    assertThat(client.answer().status()).isEqualTo(500);
                    assertThat(client.rest()).isEmpty();
                }
            }
            try (RawClient client = listening.client()) {
                client.send("GET /begun HTTP/1.1\r\n" + HOST + "\r\n");

                assertThat(client.rest()).endsWith("\r\n\r\n");
            }
        }
    }

    @Test
    void answerHeader_withLineEnd_isNeverSent() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (q, r) -> {
                                    HeaderBlock evil = new HeaderBlock();
                                    evil.add("X-A", "b\r\nSet-Cookie: c");
                                    assertThatThrownBy(() -> r.begin(200, evil))
                                            .isInstanceOf(IllegalArgumentException.class);
                                    Listening.text(r, "ok");
                                });
                RawClient client = listening.client()) {
            RawClient.Answer answer = client.send(GET + "\r\n").answer();

            assertThat(answer.body()).isEqualTo("ok");
            assertThat(answer.header("Set-Cookie")).isNull();
            assertThat(answer.header("X-A")).isNull();
        }
    }

    @Test
    void answerHeader_thatIsTheDoors_isLeftOut() {
        try (Listening listening =
                        Listening.plain(
                                LimitsConfig.DEFAULT,
                                (q, r) -> {
                                    HeaderBlock odd = new HeaderBlock();
                                    odd.add("content-length", "99").add("Connection", "x");
                                    odd.add("Transfer-Encoding", "chunked").add("date", "now");
                                    r.send(200, odd, new byte[0], 0, 0);
                                });
                RawClient client = listening.client()) {
            RawClient.Answer answer = client.send(GET + "\r\n").answer();

            assertThat(answer.lines()).hasSize(2);
            assertThat(answer.header("Content-Length")).isEqualTo("0");
            assertThat(client.send(GET + "\r\n").answer().status()).isEqualTo(200);
        }
    }

    /** Java's own client asks for an upgrade on every first request; MCP's Java SDK uses it. */
    @Test
    void upgradeToH2c_byJavasClient_isAnsweredOverHttp11() throws Exception {
        try (Listening listening = Listening.echo();
                HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + listening.port()))
                                    .POST(HttpRequest.BodyPublishers.ofString("hello"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());

            assertThat(answer.body()).isEqualTo("hello");
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            HeaderBlock headers = listening.requests.getFirst().headers();
            assertThat(headers.first("Upgrade")).isNull();
            assertThat(headers.first("HTTP2-Settings")).isNull();
        }
    }

    @Test
    void connections_beyondTheirLimit_waitForAPlace() {
        LimitsConfig few =
                new LimitsConfig(
                        1024,
                        1024,
                        64,
                        Listening.PATIENCE,
                        Listening.PATIENCE,
                        Listening.PATIENCE,
                        2,
                        10);
        try (Listening listening = Listening.plain(few, Listening::echo);
                RawClient one = listening.client();
                RawClient two = listening.client();
                RawClient three = listening.client()) {
            one.send(GET + "\r\n").answer();
            two.send(GET + "\r\n").answer();
            three.send(GET + "\r\n");
            assertThat(listening.listener.connections()).isEqualTo(2);

            one.leave();

            assertThat(three.answer().status()).isEqualTo(200);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

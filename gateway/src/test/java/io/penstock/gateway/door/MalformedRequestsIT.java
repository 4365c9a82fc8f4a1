package io.penstock.gateway.door;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What is not one clear request: answered with its exact status, never seen by the handler, and
 * nothing that follows on its connection is executed.
 */
class MalformedRequestsIT {
    private static final String HOST = "Host: gate\r\n";
    private static final String POST = "POST /mcp/files HTTP/1.1\r\n" + HOST;
    private static final String CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String NEXT = "GET /smuggled HTTP/1.1\r\n" + HOST + "\r\n";

    private Listening listening;

    @BeforeEach
    void start() {
        listening = Listening.plain(Listening.limits(), Listening::echo);
    }

    @AfterEach
    void stop() {
        listening.close();
    }

    static Stream<Arguments> malformed() {
        List<Arguments> all = new ArrayList<>();
        lengths(all);
        codings(all);
        heads(all);
        targets(all);
        expectations(all);
        chunks(all);
        sizes(all);
        return all.stream();
    }

    private static void lengths(List<Arguments> all) {
        for (String each :
                List.of(
                        "5\r\nContent-Length: 5",
                        "5\r\nContent-Length: 6",
                        "5, 5",
                        "+5",
                        "-1",
                        "0x5",
                        "5 5",
                        "",
                        "5a")) {
            String bytes = POST + "Content-Length: " + each + "\r\n\r\nhello";
            all.add(arguments("length " + each, bytes, 400));
        }
        all.add(
                arguments(
                        "length beyond a long",
                        POST + "Content-Length: 99999999999999999999\r\n\r\n",
                        413));
        all.add(
                arguments(
                        "length that wraps round an int",
                        POST + "Content-Length: 4294967301\r\n\r\nhello",
                        413));
    }

    private static void codings(List<Arguments> all) {
        String length = "Content-Length: 5\r\n";
        String coding = "Transfer-Encoding: chunked\r\n";
        all.add(arguments("length, coding", POST + length + coding + "\r\n0\r\n\r\n", 400));
        all.add(arguments("coding, length", POST + coding + length + "\r\n0\r\n\r\n", 400));
        all.add(arguments("coding twice", POST + coding + coding + "\r\n0\r\n\r\n", 400));
        for (String each :
                List.of("xchunked", "identity", "chunked, chunked", "chunked, gzip", "")) {
            all.add(
                    arguments(
                            "coding " + each,
                            POST + "Transfer-Encoding: " + each + "\r\n\r\n0\r\n\r\n",
                            400));
        }
        all.add(
                arguments(
                        "coding gzip, chunked",
                        POST + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                        501));
    }

    private static void heads(List<Arguments> all) {
        String get = "GET / HTTP/1.1\r\n";
        all.add(arguments("no host", get + "\r\n", 400));
        all.add(arguments("two hosts", get + HOST + HOST + "\r\n", 400));
        all.add(arguments("two different hosts", get + HOST + "Host: other\r\n\r\n", 400));
        all.add(arguments("empty host", get + "Host:\r\n\r\n", 400));
        all.add(arguments("host with a user", get + "Host: me@gate\r\n\r\n", 400));
        all.add(arguments("host with a path", get + "Host: gate/x\r\n\r\n", 400));
        all.add(arguments("host list", get + "Host: gate, other\r\n\r\n", 400));
        all.add(arguments("folded line", get + HOST + "A: b\r\n c\r\n\r\n", 400));
        all.add(arguments("folded line by tab", get + HOST + "A: b\r\n\tc\r\n\r\n", 400));
        all.add(arguments("folded first line", get + " A: b\r\n" + HOST + "\r\n", 400));
        all.add(arguments("bare LF", "GET / HTTP/1.1\nHost: gate\n\n", 400));
        all.add(arguments("bare LF in the head", get + "Host: gate\nA: b\r\n\r\n", 400));
        all.add(arguments("bare CR", get + HOST + "A: b\rc\r\n\r\n", 400));
        all.add(arguments("bare CR at a line's end", get + HOST + "A: b\r\r\n\r\n", 400));
        all.add(
                arguments(
                        "bare CR at a line's start",
                        POST + "\rContent-Length: 5\r\n\r\nhello",
                        400));
        all.add(arguments("CR CR LF at the end", get + HOST + "\r\r\n\r\n", 400));
        all.add(arguments("NUL in a value", get + HOST + "A: b\0c\r\n\r\n", 400));
        all.add(arguments("NUL in a name", get + HOST + "A\0: b\r\n\r\n", 400));
        all.add(arguments("DEL in a value", get + HOST + "A: b\u007fc\r\n\r\n", 400));
        all.add(arguments("non-ASCII value", get + HOST + "A: b\u00e9\r\n\r\n", 400));
        all.add(arguments("non-ASCII name", get + HOST + "\u00e9: b\r\n\r\n", 400));
        all.add(arguments("space in a name", get + HOST + "A b: c\r\n\r\n", 400));
        all.add(arguments("space before the colon", get + HOST + "A : b\r\n\r\n", 400));
        all.add(arguments("empty name", get + HOST + ": b\r\n\r\n", 400));
        all.add(arguments("no colon", get + HOST + "A\r\n\r\n", 400));
        all.add(arguments("empty line first", "\r\n" + get + HOST + "\r\n", 400));
        all.add(arguments("TLS to a plain port", "\u0016\u0003\u0001\u0002\u0000\u0001", 400));
        all.add(arguments("no version", "GET /\r\n" + HOST + "\r\n", 400));
        all.add(arguments("unknown version", "GET / HTTQ/1.1\r\n" + HOST + "\r\n", 400));
        all.add(arguments("lower-case version", "GET / http/1.1\r\n" + HOST + "\r\n", 400));
        all.add(arguments("more after the version", "GET / HTTP/1.1 \r\n" + HOST + "\r\n", 400));
        all.add(arguments("HTTP/1.0", "GET / HTTP/1.0\r\n" + HOST + "\r\n", 505));
        all.add(arguments("HTTP/1.2", "GET / HTTP/1.2\r\n" + HOST + "\r\n", 505));
        all.add(arguments("HTTP/2.0 in words", "GET / HTTP/2.0\r\n" + HOST + "\r\n", 505));
        all.add(arguments("odd method", "G(T / HTTP/1.1\r\n" + HOST + "\r\n", 400));
        all.add(arguments("long method", "G".repeat(40) + " / HTTP/1.1\r\n" + HOST + "\r\n", 400));
    }

    private static void targets(List<Arguments> all) {
        for (String each :
                List.of("http://gate/x", "x", "*", "gate:80", "/a b", "/a\u00e9", "/a#b", "/\0")) {
            all.add(
                    arguments(
                            "target " + each,
                            "GET " + each + " HTTP/1.1\r\n" + HOST + "\r\n",
                            400));
        }
        all.add(arguments("empty target", "GET  HTTP/1.1\r\n" + HOST + "\r\n", 400));
        all.add(arguments("TRACE", "TRACE / HTTP/1.1\r\n" + HOST + "\r\n", 405));
        all.add(arguments("CONNECT", "CONNECT gate:80 HTTP/1.1\r\n" + HOST + "\r\n", 405));
    }

    private static void expectations(List<Arguments> all) {
        all.add(arguments("unknown Expect", POST + "Expect: tea\r\n\r\n", 417));
        all.add(
                arguments(
                        "websocket",
                        "GET / HTTP/1.1\r\n"
                                + HOST
                                + "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
                        501));
        all.add(
                arguments(
                        "h2c or something else",
                        "GET / HTTP/1.1\r\n"
                                + HOST
                                + "Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n\r\n",
                        501));
    }

    private static void chunks(List<Arguments> all) {
        for (String each :
                List.of(
                        "+5\r\nhello\r\n0\r\n\r\n",
                        "-5\r\nhello\r\n0\r\n\r\n",
                        "0x5\r\nhello\r\n0\r\n\r\n",
                        " 5\r\nhello\r\n0\r\n\r\n",
                        "5 \r\nhello\r\n0\r\n\r\n",
                        "5;a=b\r\nhello\r\n0\r\n\r\n",
                        "5\nhello\r\n0\r\n\r\n",
                        "5\rhello\r\n0\r\n\r\n",
                        "5\r\nhelloxx0\r\n\r\n",
                        "5\r\nhello\n0\r\n\r\n",
                        "5\r\nhello world\r\n0\r\n\r\n",
                        "\r\n",
                        "g\r\n",
                        "000000005\r\nhello\r\n0\r\n\r\n",
                        "5\r\nhello\r\n0\r\nA: b\r\n\r\n",
                        "5\r\nhello\r\n0\r\n\n")) {
            all.add(arguments("chunk " + each, CHUNKED + each, 400));
        }
    }

    private static void sizes(List<Arguments> all) {
        int body = Listening.limits().bodyBytes();
        int head = Listening.limits().headerBytes();
        all.add(
                arguments(
                        "body too large by length",
                        POST + "Content-Length: " + (body + 1) + "\r\n\r\n",
                        413));
        all.add(
                arguments(
                        "body too large that waits to be asked for",
                        POST + "Expect: 100-continue\r\nContent-Length: " + (body + 1) + "\r\n\r\n",
                        413));
        all.add(arguments("chunk too large", CHUNKED + "7fffffff\r\nhello", 413));
        all.add(arguments("chunk beyond an int", CHUNKED + "ffffffff\r\nhello", 413));
        all.add(
                arguments(
                        "chunks too large together",
                        CHUNKED
                                + Integer.toHexString(body)
                                + "\r\n"
                                + "x".repeat(body)
                                + "\r\n1\r\nx\r\n0\r\n\r\n",
                        413));
        all.add(
                arguments(
                        "head too large",
                        "GET / HTTP/1.1\r\n" + HOST + "A: " + "b".repeat(head) + "\r\n\r\n",
                        431));
        all.add(
                arguments(
                        "too many header lines",
                        "GET / HTTP/1.1\r\n"
                                + HOST
                                + "a: b\r\n".repeat(HeadReader.LINES_MAX)
                                + "\r\n",
                        431));
        all.add(
                arguments(
                        "target too long",
                        "GET /" + "a".repeat(head) + " HTTP/1.1\r\n" + HOST + "\r\n",
                        414));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void request_malformed_isRefusedAndTheConnectionClosed(String name, String bytes, int status) {
        try (RawClient client = listening.client()) {
            client.sendWhatGoes(
                    (bytes + NEXT).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));

            RawClient.Answer answer = client.answer();

            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(answer.header("Connection")).isEqualTo("close");
            assertThat(answer.body()).contains("\"status\":" + status);
            // Saves the time that the server waits for a client which is still sending.
            client.halfClose();
            assertThat(client.rest()).isEmpty();
        }
        assertThat(listening.requests).isEmpty();
        assertThat(listening.refused.values().iterator().next()).hasValue(1);
        nextCallWorks();
    }

    @Test
    void request_malformed_isClosedByTheServerAlone() {
        try (RawClient client = listening.client()) {
            assertThat(client.send("GET x HTTP/1.1\r\n\r\n").answer().status()).isEqualTo(400);
            assertThat(client.rest()).isEmpty();
        }
    }

    /** A client that sends on after its refusal can still read why. */
    @Test
    void body_tooLarge_isRefusedInAWayThatTheSenderSees() {
        try (RawClient client = listening.client()) {
            client.send(POST + "Content-Length: 3000000\r\n\r\n");
            client.sendWhatGoes(new byte[3_000_000]);

            assertThat(client.answer().status()).isEqualTo(413);
        }
    }

    private void nextCallWorks() {
        try (RawClient client = listening.client()) {
            client.send(POST + "Content-Length: 5\r\n\r\nhello");

            assertThat(client.answer().body()).isEqualTo("hello");
        }
    }
}

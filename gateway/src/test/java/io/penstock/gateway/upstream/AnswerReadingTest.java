package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.UpstreamException.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken for an answer, what is refused, and that a peer's numbers allocate nothing. */
final class AnswerReadingTest {
    private record Read(int status, HeaderBlock headers, long length, String body) {}

    private static Read read(ScriptedWire wire, String method) {
        HttpExchange exchange =
                new HttpExchange(
                        new Connection(wire, 0), new ConnectionPool(1, () -> 0), Heads.PLAIN);
        exchange.prepare(method, "/", new HeaderBlock(), new byte[0]);
        exchange.sendFirst();
        exchange.sendRest(() -> true);
        int status = exchange.readHead();
        return new Read(
                status, exchange.headers(), exchange.contentLength(), Exchanges.drain(exchange));
    }

    private static Read read(String answer) {
        return read(ScriptedWire.whole(answer), "POST");
    }

    private static void assertRefused(String answer, Kind kind) {
        ScriptedWire wire = ScriptedWire.whole(answer);
        assertThatThrownBy(() -> read(wire, "POST"))
                .isInstanceOfSatisfying(
                        UpstreamException.class, e -> assertThat(e.kind()).isEqualTo(kind));
        assertThat(wire.closed).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>hello</html>\r\n\r\n",
                "\r\nHTTP/1.1 200 OK\r\n\r\n",
                "HTTP/2 200 OK\r\n\r\n",
                "HTTP/1.2 200 OK\r\n\r\n",
                "HTTP/1.1  200 OK\r\n\r\n",
                "HTTP/1.1\t200 OK\r\n\r\n",
                "HTTP/1.1 20 OK\r\n\r\n",
                "HTTP/1.1 2000 OK\r\n\r\n",
                "HTTP/1.1 2x0 OK\r\n\r\n",
                "HTTP/1.1 099 OK\r\n\r\n",
                "HTTP/1.1 600 OK\r\n\r\n",
                "HTTP/1.1 200 O\u0000K\r\n\r\n",
                "HTTP/1.1 200 O\rK\r\n\r\n",
                "HTTP/1.1 200 OK\n\n",
                "http/1.1 200 OK\r\n\r\n",
                "ICY 200 OK\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
            })
    void head_statusLineIsWrong_isRefused(String answer) {
        assertRefused(answer, Kind.NOT_HTTP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2\r\nContent-Length: 2",
                "Content-Length: 2\r\nContent-Length: 3",
                "Content-Length: 2, 2",
                "Content-Length: +2",
                "Content-Length: -2",
                "Content-Length: 0x2",
                "Content-Length: 2 2",
                "Content-Length:",
                "Content-Length: 1234567890123456789",
                "Content-Length: 2\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 2",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding:",
                "A: b\r\n folded",
                "A: b\r\n\tfolded",
                " A: b",
                "A : b",
                "A\t: b",
                ": b",
                "A",
                "A b: c",
                "A\u0000: b",
                "A: b\u0000c",
                "A: b\rc",
                "A: b\u007f",
                "A: b\n",
                "\u00e9: b"
            })
    void head_headersAreAmbiguousOrGarbage_isRefused(String lines) {
        assertRefused("HTTP/1.1 200 OK\r\n" + lines + "\r\n\r\nok", Kind.NOT_HTTP);
    }

    @Test
    void head_codingInOldProtocol_isRefused() {
        assertRefused(
                "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", Kind.NOT_HTTP);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\r\n",
                "2",
                "-2\r\nok\r\n0\r\n\r\n",
                "+2\r\nok\r\n0\r\n\r\n",
                "0x2\r\nok\r\n0\r\n\r\n",
                " 2\r\nok\r\n0\r\n\r\n",
                "2 \r\nok\r\n0\r\n\r\n",
                "2\nok\r\n0\r\n\r\n",
                "g\r\nok\r\n0\r\n\r\n",
                "1000000000000000\r\nok",
                "ffffffffffffffffffff\r\nok",
                "2;a=\u0000\r\nok\r\n0\r\n\r\n",
                "2\r\nokay\r\n0\r\n\r\n",
                "2\r\nok\n0\r\n\r\n",
                "2\r\nokXX0\r\n\r\n",
                "2\r\nok\r\n0\r\n",
                "2\r\nok\r\n0\r\nbad trailer\r\n\r\n",
                "2\r\nok\r\n"
            })
    void body_chunksAreWrongOrMissing_isRefused(String chunks) {
        ScriptedWire wire = ScriptedWire.whole(chunked(chunks));

        assertThatThrownBy(() -> read(wire, "POST")).isInstanceOf(UpstreamException.class);

        assertThat(wire.closed).isTrue();
    }

    @Test
    void body_sizeLineTooLong_isRefused() {
        assertRefused(
                chunked("2;" + "x".repeat(AnswerBody.SIZE_LINE) + "\r\nok\r\n0\r\n\r\n"),
                Kind.NOT_HTTP);
    }

    private static String chunked(String chunks) {
        return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
    }

    @Test
    void body_hugeChunkAnnounced_givesWhatCameAndThenFails() {
        HttpExchange exchange = begun(chunked("fffffffffffffff\r\nhello"));
        byte[] into = new byte[100];

        assertThat(exchange.read(into, 0, 100)).isEqualTo(5);
        assertThatThrownBy(() -> exchange.read(into, 0, 100))
                .isInstanceOfSatisfying(
                        UpstreamException.class,
                        e -> assertThat(e.kind()).isEqualTo(Kind.BROKE_OFF));
    }

    @Test
    void body_lengthNotReached_fails() {
        assertRefused("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", Kind.BROKE_OFF);
    }

    @Test
    void body_chunksThatAreHere_comeInOneRead() {
        HttpExchange exchange = begun(chunked("2\r\nab\r\n3;x=\"y\"\r\ncde\r\n0\r\nT: u\r\n\r\n"));
        byte[] into = new byte[100];

        assertThat(exchange.read(into, 0, 100)).isEqualTo(5);
        assertThat(exchange.read(into, 0, 100)).isEqualTo(-1);
        assertThat(exchange.headers().size()).isZero();
    }

    @Test
    void body_nextChunkNotHere_isNotWaitedFor() {
        String first = chunked("2\r\nab\r\n");
        ScriptedWire wire =
                new ScriptedWire(
                        first + "3\r\ncde\r\n0\r\n\r\n",
                        read -> read == 0 ? first.length() + 1 : 100);
        HttpExchange exchange = begun(wire);
        byte[] into = new byte[100];

        assertThat(exchange.read(into, 0, 100)).isEqualTo(2);
        assertThat(wire.leftOver()).isPositive();
    }

    private static HttpExchange begun(String answer) {
        return begun(ScriptedWire.whole(answer));
    }

    private static HttpExchange begun(ScriptedWire wire) {
        HttpExchange exchange =
                new HttpExchange(
                        new Connection(wire, 0), new ConnectionPool(1, () -> 0), Heads.PLAIN);
        exchange.prepare("GET", "/", new HeaderBlock(), new byte[0]);
        exchange.sendFirst();
        exchange.sendRest(() -> true);
        exchange.readHead();
        return exchange;
    }

    @Test
    void body_noFraming_lastsToTheEnd() {
        Read read = read("HTTP/1.1 200 OK\r\n\r\nuntil the end");

        assertThat(read.length).isEqualTo(-1);
        assertThat(read.body).isEqualTo("until the end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"204", "304"})
    void body_statusHasNone_isEmpty(String status) {
        String answer = "HTTP/1.1 " + status + " X\r\nContent-Length: 5\r\n\r\n";

        assertThat(read(answer).body).isEmpty();
        assertThat(read(answer).length).isZero();
    }

    @Test
    void body_answerToHead_isEmpty() {
        ScriptedWire wire =
                ScriptedWire.whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");

        assertThat(read(wire, "HEAD").body).isEmpty();
    }

    @Test
    void head_interimAnswers_areSkipped() {
        String interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";

        Read read = read("HTTP/1.1 100 \r\n\r\n" + interim + "HTTP/1.1 201\r\nA: b\r\n\r\n");

        assertThat(read.status).isEqualTo(201);
        assertThat(read.headers.first("Link")).isNull();
    }

    @Test
    void head_interimAnswersWithoutEnd_areRefused() {
        assertRefused(
                "HTTP/1.1 100 \r\n\r\n".repeat(AnswerHeadReader.INTERIM + 1)
                        + "HTTP/1.1 200 OK\r\n\r\n",
                Kind.NOT_HTTP);
    }

    @Test
    void head_hopByHopLines_areDropped() {
        Read read =
                read(
                        "HTTP/1.1 200 OK\r\nX-Gone: 1\r\nConnection: X-Gone, keep-alive\r\n"
                                + "x-also-gone: 2\r\nconnection: X-ALSO-GONE\r\n"
                                + "Keep-Alive: timeout=5\r\nContent-Length: 2\r\nUpgrade: h2c\r\n"
                                + "Proxy-Authenticate: x\r\nTrailer: T\r\n"
                                + "Content-Type: text/plain\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
                                + "\r\nok");

        List<String> names = new ArrayList<>();
        for (int i = 0; i < read.headers.size(); i++) {
            names.add(read.headers.name(i));
        }
        assertThat(names).containsExactly("Content-Type", "Set-Cookie", "Set-Cookie");
        assertThat(read.length).isEqualTo(2);
    }

    @Test
    void head_valuesKeepTheirBytesAndLoseOuterBlanks() {
        Read read =
                read(
                        "HTTP/1.1 200 OK\r\n"
                                + "A: \t caf\u00e9 a  b \t\r\n"
                                + "B:\r\n"
                                + "Content-Length: 0\r\n\r\n");

        assertThat(read.headers.first("a")).isEqualTo("caf\u00e9 a  b");
        assertThat(read.headers.first("b")).isEmpty();
    }

    @Test
    void head_atItsBounds_isRead() {
        String lines = "A: b\r\n".repeat(AnswerHeadReader.LINES - 1);

        Read read = read("HTTP/1.1 200 OK\r\n" + lines + "Content-Length: 0\r\n\r\n");

        assertThat(read.headers.size()).isEqualTo(AnswerHeadReader.LINES - 1);
    }

    @Test
    void head_moreLinesThanItsBound_isRefused() {
        String lines = "A: b\r\n".repeat(AnswerHeadReader.LINES + 1);

        assertRefused("HTTP/1.1 200 OK\r\n" + lines + "\r\n", Kind.NOT_HTTP);
    }

    @Test
    void head_lineLongerThanTheBuffer_isRefused() {
        assertRefused(
                "HTTP/1.1 200 OK\r\nA: " + "x".repeat(Inbound.CAPACITY) + "\r\n\r\n",
                Kind.NOT_HTTP);
    }

    @Test
    void head_moreBytesThanItsBound_isRefused() {
        String line = "A: " + "x".repeat(8 * 1024) + "\r\n";

        assertRefused("HTTP/1.1 200 OK\r\n" + line.repeat(9) + "\r\n", Kind.NOT_HTTP);
    }

    @Test
    void trailers_moreThanTheirBound_areRefused() {
        assertRefused(
                chunked(
                        "2\r\nok\r\n0\r\n"
                                + "A: b\r\n".repeat(AnswerHeadReader.LINES + 1)
                                + "\r\n"),
                Kind.NOT_HTTP);
    }

    @Test
    void head_endOfConnectionBeforeIt_fails() {
        assertRefused("", Kind.BROKE_OFF);
        assertRefused("HTTP/1.1 200 O", Kind.BROKE_OFF);
    }
}

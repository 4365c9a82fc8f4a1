package io.penstock.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.UpstreamException.Kind;
import java.io.IOException;
import java.net.SocketException;
import java.net.URI;
import java.nio.channels.AsynchronousCloseException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes to an upstream, byte for byte, and what is known about it when writing fails. */
final class RequestWritingTest {
    private static final URI URL = URI.create("http://tools.example:3000/mcp");
    private final ScriptedWire wire = ScriptedWire.whole("HTTP/1.1 200 OK\r\n\r\n");

    private HttpExchange exchange(RequestHead head) {
        return new HttpExchange(new Connection(wire, 0), new ConnectionPool(1, () -> 0), head);
    }

    private String written(RequestHead head, String method, HeaderBlock headers, String body) {
        HttpExchange exchange = exchange(head);
        exchange.prepare(method, "/a", headers, body.getBytes(StandardCharsets.ISO_8859_1));
        exchange.sendFirst();
        return wire.written.toString(StandardCharsets.ISO_8859_1);
    }

    @Test
    void request_plain_isExactlyThis() {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Accept", "a/b")
                        .add("X-Caf\u00e9".substring(0, 2) + "1", "caf\u00e9");

        assertThat(written(Heads.PLAIN, "POST", headers, "{}"))
                .isEqualTo(
                        "POST /a HTTP/1.1\r\nHost: tools.example:3000\r\nAccept: a/b\r\n"
                                + "X-1: caf\u00e9\r\nContent-Length: 2\r\n\r\n{}");
    }

    @Test
    void request_withoutBody_namesALengthOnlyWhereOneIsExpected() {
        assertThat(written(Heads.PLAIN, "GET", new HeaderBlock(), ""))
                .isEqualTo("GET /a HTTP/1.1\r\nHost: tools.example:3000\r\n\r\n");
        wire.written.reset();
        assertThat(written(Heads.PLAIN, "PUT", new HeaderBlock(), ""))
                .endsWith("\r\nContent-Length: 0\r\n\r\n");
    }

    @Test
    void request_configuredHeaders_replaceTheClients() {
        RequestHead head =
                new RequestHead(URL, Map.of("authorization", "Bearer ours", "Host", "inner"));
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Authorization", "Bearer theirs")
                        .add("AUTHORIZATION", "Bearer again")
                        .add("Host", "outer")
                        .add("Accept", "a/b");

        assertThat(written(head, "GET", headers, ""))
                .isEqualTo(
                        "GET /a HTTP/1.1\r\nauthorization: Bearer ours\r\nHost: inner\r\n"
                                + "Accept: a/b\r\n\r\n");
    }

    @Test
    void request_hopByHopAndFramingLines_stayBehind() {
        HeaderBlock headers =
                new HeaderBlock()
                        .add("Connection", "close, X-Named")
                        .add("x-named", "1")
                        .add("Transfer-Encoding", "chunked")
                        .add("Content-Length", "999")
                        .add("TE", "trailers")
                        .add("Upgrade", "h2c")
                        .add("Expect", "100-continue")
                        .add("Keep-Alive", "timeout=5")
                        .add("Proxy-Authorization", "x")
                        .add("Kept", "yes");

        assertThat(written(Heads.PLAIN, "POST", headers, "{}"))
                .isEqualTo(
                        "POST /a HTTP/1.1\r\nHost: tools.example:3000\r\nKept: yes\r\n"
                                + "Content-Length: 2\r\n\r\n{}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a%2Fb/../c//d?q=%7B&x=a+b;p",
                "/",
                "/caf\u00e9",
                "/a\"b<c>{d}|e\\f^g`",
                "/?a=?b"
            })
    void target_anyBytesThatEndNothing_isKept(String target) {
        HttpExchange exchange = exchange(Heads.PLAIN);

        exchange.prepare("GET", target, new HeaderBlock(), new byte[0]);
        exchange.sendFirst();

        assertThat(wire.written.toString(StandardCharsets.ISO_8859_1))
                .startsWith("GET " + target + " HTTP/1.1\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "*",
                "http://other/",
                "/a b",
                "/a\r\nX: y",
                "/a\nX: y",
                "/a\u0000",
                "/a\t",
                "/a\u007f",
                "/\u0100",
                "/\u010a"
            })
    void target_couldEndTheLine_isRefused(String target) {
        HttpExchange exchange = exchange(Heads.PLAIN);

        assertBadRequest(
                () -> exchange.prepare("GET", target, new HeaderBlock(), new byte[0]), exchange);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a\r\nb: c", "a\nb", "a\rb", "a\u0000", "\u010d\u010a", "a\u007f", "\u20ac"})
    void value_couldEndTheLine_isRefused(String value) {
        HttpExchange exchange = exchange(Heads.PLAIN);
        HeaderBlock headers = new HeaderBlock().add("X", value);

        assertBadRequest(() -> exchange.prepare("GET", "/", headers, new byte[0]), exchange);
        assertThatThrownBy(() -> new RequestHead(URL, Map.of("X", value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "a\r\n", "a\u0000", "caf\u00e9", "\u0141"})
    void name_isNoToken_isRefused(String name) {
        HttpExchange exchange = exchange(Heads.PLAIN);
        HeaderBlock headers = new HeaderBlock().add(name, "x");

        assertBadRequest(() -> exchange.prepare("GET", "/", headers, new byte[0]), exchange);
        assertBadRequest(
                () -> exchange.prepare(name, "/", new HeaderBlock(), new byte[0]), exchange);
    }

    private void assertBadRequest(Runnable preparing, Exchange exchange) {
        assertThatThrownBy(preparing::run)
                .isInstanceOfSatisfying(
                        UpstreamException.class,
                        e -> assertThat(e.kind()).isEqualTo(Kind.BAD_REQUEST));
        exchange.finish();
        assertThat(wire.writes).isEmpty();
        assertThat(exchange.sent()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length", "transfer-encoding", "Connection", "Expect"})
    void configured_headerOfFraming_isRefused(String name) {
        assertThatThrownBy(() -> new RequestHead(URL, Map.of(name, "1")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void toString_configuredSecret_isNotShown() {
        assertThat(new RequestHead(URL, Map.of("Authorization", "Bearer secret")).toString())
                .contains("Authorization")
                .doesNotContain("secret");
    }

    @Test
    void sendFirst_smallRequest_isOneWrite() {
        written(Heads.PLAIN, "POST", new HeaderBlock(), "x".repeat(1_000));

        assertThat(wire.writes).hasSize(1);
    }

    @Test
    void sendFirst_largeRequest_isOneWriteOfItsBoundAndTheRestFollows() throws Exception {
        String body = "0123456789".repeat(10_000);
        HttpExchange exchange = exchange(Heads.PLAIN);
        exchange.prepare(
                "POST", "/a", new HeaderBlock(), body.getBytes(StandardCharsets.ISO_8859_1));

        exchange.sendFirst();
        assertThat(wire.writes).containsExactly(Exchange.FIRST_BYTES);

        exchange.sendRest(() -> true);
        exchange.awaitBody();
        assertThat(wire.written.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n" + body))
                .isTrue();
    }

    @Test
    void sendRest_mayNotGoOn_writesNothingMore() throws Exception {
        HttpExchange exchange = exchange(Heads.PLAIN);
        exchange.prepare("POST", "/a", new HeaderBlock(), new byte[100_000]);

        exchange.sendFirst();
        exchange.sendRest(() -> false);
        exchange.awaitBody();

        assertThat(wire.writes).containsExactly(Exchange.FIRST_BYTES);
    }

    @Test
    void sendFirst_headAboveTheBound_isWrittenInParts() throws Exception {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < 5; i++) {
            headers.add("H" + i, "v".repeat(5_000));
        }
        HttpExchange exchange = exchange(Heads.PLAIN);
        exchange.prepare("POST", "/a", headers, new byte[] {'!', '?'});

        exchange.sendFirst();
        assertThat(wire.writes).containsExactly(Exchange.FIRST_BYTES);

        exchange.sendRest(() -> true);
        exchange.awaitBody();
        String all = wire.written.toString(StandardCharsets.ISO_8859_1);
        assertThat(all.length()).isGreaterThan(25_000);
        assertThat(all.substring(25_000)).endsWith("\r\nContent-Length: 2\r\n\r\n!?");
    }

    @Test
    void sent_writeFailsWithNothingTaken_isFalse() {
        assertThat(sentAfter(new SocketException("Broken pipe"))).isFalse();
    }

    @Test
    void sent_writeFailsAfterAByte_isTrue() {
        wire.writeMost = 1;

        assertThat(sentAfter(new SocketException("Broken pipe"))).isTrue();
    }

    @Test
    void sent_writeWasCutOrIsOfTls_isTrueBecauseNobodyKnows() {
        assertThat(sentAfter(new AsynchronousCloseException())).isTrue();

        wire.failsWhole = false;
        assertThat(sentAfter(new SocketException("Broken pipe"))).isTrue();
    }

    private boolean sentAfter(IOException failure) {
        wire.writeFailure = failure;
        HttpExchange exchange = exchange(Heads.PLAIN);
        exchange.prepare("POST", "/", new HeaderBlock(), new byte[] {1});
        assertThatThrownBy(exchange::sendFirst).isInstanceOf(UpstreamException.class);
        assertThat(wire.closed).isTrue();
        return exchange.sent();
    }

    @Test
    void prepare_again_replacesTheFirst() {
        HttpExchange exchange = exchange(Heads.PLAIN);
        exchange.prepare("POST", "/first", new HeaderBlock().add("A", "b"), new byte[20_000]);
        exchange.prepare("GET", "/second", new HeaderBlock(), new byte[0]);

        exchange.sendFirst();

        assertThat(wire.written.toString(StandardCharsets.ISO_8859_1))
                .isEqualTo("GET /second HTTP/1.1\r\nHost: tools.example:3000\r\n\r\n");
    }

    @Test
    void finish_nothingSent_keepsTheConnection() {
        ConnectionPool pool = new ConnectionPool(1, () -> 0);
        Connection connection = new Connection(wire, 0);
        HttpExchange exchange = new HttpExchange(connection, pool, Heads.PLAIN);
        exchange.prepare("POST", "/", new HeaderBlock(), new byte[] {1});

        exchange.finish();
        exchange.cut();

        assertThat(pool.take()).isSameAs(connection);
        assertThat(wire.closed).isFalse();
        assertThat(Arrays.asList(exchange.sent())).containsExactly(false);
    }
}

package io.penstock.gateway.upstream;

import static io.penstock.gateway.socket.TestPollers.SHARED;

import io.penstock.budget.Mode;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What tests of exchanges share: configurations, and whole exchanges in one call. */
final class Exchanges {
    record Answer(int status, HeaderBlock headers, long length, String body) {}

    private Exchanges() {}

    static ServerConfig config(URI url) {
        return config(url, Map.of(), null, 64);
    }

    static ServerConfig config(
            URI url,
            Map<String, String> headers,
            ServerConfig.@Nullable ClientTls tls,
            int maxConcurrent) {
        return new ServerConfig(
                "tools",
                url,
                true,
                Mode.ENFORCE,
                Duration.ofSeconds(2),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofMinutes(1),
                maxConcurrent,
                headers,
                tls,
                List.of(),
                false);
    }

    static PooledUpstream upstream(ScriptedServer server) {
        return new PooledUpstream(SHARED, config(server.url("/mcp")), System::nanoTime);
    }

    static Answer post(Upstream upstream, String body) {
        return call(upstream, "POST", new HeaderBlock(), body.getBytes(StandardCharsets.UTF_8));
    }

    static Answer get(Upstream upstream) {
        return call(upstream, "GET", new HeaderBlock(), new byte[0]);
    }

    static Answer call(Upstream upstream, String method, HeaderBlock headers, byte[] body) {
        Exchange exchange = upstream.open();
        try {
            exchange.prepare(method, "/mcp", headers, body);
            exchange.sendFirst();
            exchange.sendRest(() -> true);
            int status = exchange.readHead();
            return new Answer(
                    status, exchange.headers(), exchange.contentLength(), drain(exchange));
        } finally {
            exchange.finish();
        }
    }

    static String drain(Exchange exchange) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[8192];
        int taken;
        while ((taken = exchange.read(piece, 0, piece.length)) >= 0) {
            all.write(piece, 0, taken);
        }
        return all.toString(StandardCharsets.ISO_8859_1);
    }
}

package io.penstock.gateway.config;

import io.penstock.budget.Mode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One upstream server.
 *
 * @param url where it is: an MCP endpoint, or the base of a plain HTTP API
 * @param mcp whether it is reached under {@code /mcp/}, otherwise under {@code /http/}
 * @param timeout to the first byte of an answer
 * @param idleTimeout between bytes of a stream
 * @param maxDuration of one call, streams included
 * @param maxConcurrent calls at once from this replica (bulkhead), 1 or more
 * @param headers added to every request to it; values may be secrets
 * @param routes path templates that name the tools of a plain HTTP API
 * @param refusalsByStatus MCP refusals use the HTTP status of the table instead of 200
 */
public record ServerConfig(
        String name,
        URI url,
        boolean mcp,
        Mode mode,
        Duration connectTimeout,
        Duration timeout,
        Duration idleTimeout,
        Duration maxDuration,
        int maxConcurrent,
        Map<String, String> headers,
        @Nullable ClientTls tls,
        List<String> routes,
        boolean refusalsByStatus) {
    public ServerConfig {
        headers = Map.copyOf(headers);
        routes = List.copyOf(routes);
    }

    /**
     * TLS towards an upstream.
     *
     * @param ca certificates to trust instead of the platform's
     * @param certificate the client certificate chain, with its key
     */
    public record ClientTls(@Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {}

    /** Never shows header values: they may be secrets. */
    @Override
    public String toString() {
        return "ServerConfig[" + name + " " + url + " headers=" + headers.keySet() + "]";
    }
}

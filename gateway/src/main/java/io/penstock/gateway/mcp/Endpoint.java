package io.penstock.gateway.mcp;

import io.penstock.gateway.config.ServerConfig;
import java.net.URI;

/**
 * A server as the MCP door knows it.
 *
 * @param target request target towards it
 * @param byStatus refusals use the HTTP status of the table
 */
record Endpoint(String target, boolean byStatus) {

    static Endpoint of(ServerConfig server) {
        URI url = server.url();
        String path = url.getRawPath();
        String query = url.getRawQuery();
        return new Endpoint(
                (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query),
                server.refusalsByStatus());
    }

    /** The same server where a refusal cannot have a status of its own. */
    Endpoint inBand() {
        return new Endpoint(target, false);
    }
}

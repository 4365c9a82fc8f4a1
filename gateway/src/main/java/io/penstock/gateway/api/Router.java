package io.penstock.gateway.api;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;

/**
 * The root of the data plane: asks whether a browser's page may call at all, then finds the door.
 */
public final class Router implements RequestHandler {
    private static final byte[] NOTHING = {};

    private final RequestHandler mcp;
    private final RequestHandler http;
    private final Origins origins;
    private final Entrance entrance;

    public Router(RequestHandler mcp, RequestHandler http, Origins origins, Entrance entrance) {
        this.mcp = mcp;
        this.http = http;
        this.origins = origins;
        this.entrance = entrance;
    }

    @Override
    public void handle(InboundRequest request, Reply reply) {
        String origin = request.headers().first("Origin");
        if (origin == null) {
            dispatch(request, reply);
        } else if (!origins.admit(request.headers())) {
            entrance.reject(reply, 403, "this origin may not call", entrance.ids().get());
        } else if (preflight(request)) {
            allow(request, new BrowserReply(reply, origin));
        } else {
            dispatch(request, new BrowserReply(reply, origin));
        }
    }

    private void dispatch(InboundRequest request, Reply reply) {
        if (request.target().startsWith("/mcp/")) {
            mcp.handle(request, reply);
        } else if (request.target().startsWith("/http/")) {
            http.handle(request, reply);
        } else {
            entrance.reject(
                    reply,
                    404,
                    "servers are reached under /mcp/{server} and /http/{server}/",
                    entrance.ids().get());
        }
    }

    /** A browser asks, without credentials, before the page's own request. */
    private static boolean preflight(InboundRequest request) {
        return request.method().equals("OPTIONS")
                && request.headers().first("Access-Control-Request-Method") != null;
    }

    private static void allow(InboundRequest request, Reply reply) {
        String names = request.headers().first("Access-Control-Request-Headers");
        HeaderBlock headers =
                new HeaderBlock()
                        .add(
                                "Access-Control-Allow-Methods",
                                "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
                        .add("Access-Control-Max-Age", "600");
        if (names != null) {
            headers.add("Access-Control-Allow-Headers", names);
        }
        reply.send(204, headers, NOTHING, 0, 0);
    }
}

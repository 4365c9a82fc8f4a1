package io.penstock.gateway.api;

import io.penstock.budget.Subject;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import io.penstock.gateway.identity.Identity;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The door for plain HTTP APIs: {@code /http/{server}/...}.
 *
 * <p><b>Guarantee.</b> The target goes on byte for byte behind the server's base path, or not at
 * all; every request is a counted call.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public final class HttpDoor implements RequestHandler {
    private static final Set<String> METHODS =
            Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
    private static final String ALLOW = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

    /** A server as this door knows it; {@code base} has no slash at its end. */
    private record Api(String base, Routes routes) {}

    private final Map<String, Api> servers = new HashMap<>();
    private final Entrance entrance;

    /**
     * @param servers all that are configured; MCP servers are not reached here
     */
    public HttpDoor(Iterable<ServerConfig> servers, Entrance entrance) {
        for (ServerConfig server : servers) {
            if (!server.mcp()) {
                this.servers.put(
                        server.name(), new Api(base(server.url()), new Routes(server.routes())));
            }
        }
        this.entrance = entrance;
    }

    private static String base(URI url) {
        String path = url.getRawPath() == null ? "" : url.getRawPath();
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    @Override
    public void handle(InboundRequest request, Reply reply) {
        UUID id = entrance.ids().get();
        switch (entrance.identification().identify(request.headers())) {
            case Identity.Unknown unknown ->
                    entrance.refuseUnknown(reply, new ProblemDialect(id), unknown, id);
            case Identity.Agent agent -> known(request, reply, agent, id);
        }
    }

    private void known(InboundRequest request, Reply reply, Identity.Agent agent, UUID id) {
        if (!METHODS.contains(request.method())) {
            HeaderBlock headers = entrance.rejected(405, id).add("Allow", ALLOW);
            entrance.reject(reply, 405, "this method is not passed on", headers, id);
            return;
        }
        String fault = fault(request.headers());
        if (fault != null) {
            entrance.reject(reply, 400, fault, id);
            return;
        }
        if (upgrade(request.headers().first("Upgrade"))) {
            entrance.reject(reply, 501, "protocol upgrades are not passed on", id);
            return;
        }
        switch (HttpTarget.parse(request.target())) {
            case HttpTarget.Outside outside -> entrance.reject(reply, 400, outside.reason(), id);
            case HttpTarget.Inside inside -> call(request, reply, agent, inside.target(), id);
        }
    }

    /** Java's own client offers {@code h2c} with every request, and does without it. */
    private static boolean upgrade(@Nullable String asked) {
        return asked != null && !asked.strip().equalsIgnoreCase("h2c");
    }

    private static @Nullable String fault(HeaderBlock headers) {
        return Forwarding.redirects(headers)
                ? "a header asks for another method or target than the request line"
                : null;
    }

    private void call(
            InboundRequest request, Reply reply, Identity.Agent agent, HttpTarget target, UUID id) {
        Api api = servers.get(target.server());
        ProblemDialect dialect = new ProblemDialect(id);
        String tool =
                api == null
                        ? request.method() + " /*"
                        : api.routes().tool(request.method(), target);
        Subject subject = new Subject(agent.tenant(), agent.agent(), target.server(), tool, null);
        if (api == null) {
            entrance.refuseUnknownTarget(reply, dialect, subject, id);
            return;
        }
        String path = api.base() + target.path();
        Call call =
                new Call(
                        id,
                        subject,
                        true,
                        "HTTP",
                        request.method(),
                        (path.isEmpty() ? "/" : path) + target.query(),
                        Forwarding.forwardable(request.headers()),
                        request.body(),
                        false,
                        request.arrivedNanos(),
                        dialect);
        entrance.calls().run(call, reply);
    }
}

package io.penstock.gateway.mcp;

import io.penstock.gateway.api.Entrance;
import io.penstock.gateway.api.Forwarding;
import io.penstock.gateway.api.JsonText;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.call.Dialect;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import io.penstock.gateway.identity.Identity;
import io.penstock.gateway.mcp.Sessions.Session;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The door for MCP: {@code POST, GET, DELETE /mcp/{server}}, both eras of the protocol.
 *
 * <p><b>Guarantee.</b> What reaches the call path was read as one thing by the strictest reader
 * there is, agrees with its headers, and goes on as exactly the bytes that were judged. A session
 * reaches its upstream only from the agent that it was made for.
 *
 * <p><b>Failure.</b> What the protocol calls wrong keeps the protocol's status and code, and
 * reaches nobody.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public final class McpDoor implements RequestHandler {
    private static final String PREFIX = "/mcp/";
    private static final String BOTH_TYPES = "application/json, text/event-stream";

    /** What servers of the official SDKs say of a session that is not there. */
    private static final int SESSION_NOT_FOUND = -32001;

    private static final byte[] NO_BODY = {};

    /** A server as this door knows it. */
    private record Endpoint(String target, boolean byStatus) {}

    private final Map<String, Endpoint> servers = new HashMap<>();
    private final Entrance entrance;
    private final Sessions sessions;
    private final MessageReader reader;

    /**
     * @param servers all that are configured; plain HTTP APIs are not reached here
     * @param nesting deepest nesting of a body
     */
    public McpDoor(
            Iterable<ServerConfig> servers, Entrance entrance, Sessions sessions, int nesting) {
        for (ServerConfig server : servers) {
            if (server.mcp()) {
                this.servers.put(
                        server.name(),
                        new Endpoint(target(server.url()), server.refusalsByStatus()));
            }
        }
        this.entrance = entrance;
        this.sessions = sessions;
        this.reader = new MessageReader(nesting);
    }

    private static String target(URI url) {
        String path = url.getRawPath();
        String query = url.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    @Override
    public void handle(InboundRequest request, Reply reply) {
        UUID id = entrance.ids().get();
        switch (entrance.identification().identify(request.headers())) {
            case Identity.Unknown unknown ->
                    entrance.refuseUnknown(reply, dialect(id, null, null), unknown, id);
            case Identity.Agent agent ->
                    visit(
                            new Visit(
                                    request,
                                    reply,
                                    agent,
                                    server(request.target()),
                                    id,
                                    new McpHeaders(request.headers())));
        }
    }

    /** A query does not go on: the endpoint has its own, if any. */
    private static String server(String target) {
        int question = target.indexOf('?');
        return target.substring(PREFIX.length(), question < 0 ? target.length() : question);
    }

    private void visit(Visit visit) {
        switch (visit.request().method()) {
            case "POST" -> post(visit);
            case "GET", "DELETE" -> bodiless(visit);
            default -> notAllowed(visit, "POST, GET, DELETE");
        }
    }

    private void notAllowed(Visit visit, String allow) {
        HeaderBlock headers = entrance.rejected(405, visit.id()).add("Allow", allow);
        entrance.reject(visit.reply(), 405, "this method is not for here", headers, visit.id());
    }

    private void post(Visit visit) {
        McpHeaders headers = visit.headers();
        if (!headers.plainBody()) {
            reject(visit, 415, "the body must not be encoded");
        } else if (!headers.json()) {
            reject(visit, 415, "the body must be application/json in UTF-8");
        } else if (!headers.acceptsJson() && !headers.acceptsEvents()) {
            reject(visit, 406, "Accept must list application/json and text/event-stream");
        } else if (Forwarding.redirects(visit.request().headers())) {
            reject(visit, 400, "a header asks for another method or target");
        } else {
            read(visit);
        }
    }

    private void reject(Visit visit, int status, String detail) {
        entrance.reject(visit.reply(), status, detail, visit.id());
    }

    private void read(Visit visit) {
        switch (reader.read(visit.request().body())) {
            case Reading.Refused refused ->
                    wrong(visit, refused.id(), new RpcFault(refused.code(), refused.reason()));
            case Reading.Single single -> single(visit, single.message());
            case Reading.Batch batch -> batch(visit, batch.messages());
        }
    }

    private void single(Visit visit, Message message) {
        byte[] id = message.kind() == Message.Kind.REQUEST ? message.id() : null;
        Revision revision = revision(visit, id);
        if (revision == null) {
            return;
        }
        RpcFault fault = MessageRules.fault(message, revision);
        if (fault == null) {
            fault = MessageRules.mismatch(message, visit.headers(), revision);
        }
        if (fault != null) {
            wrong(visit, id, fault);
            return;
        }
        Endpoint endpoint = endpoint(visit, tool(message), id);
        if (endpoint == null) {
            return;
        }
        Entry entry = enter(visit, revision, message.method(), id);
        if (entry != null) {
            byte[] body = visit.request().body();
            run(visit, visit.reply(), messageCall(visit, endpoint, entry, message, body));
        }
    }

    /** The revision that a request speaks; null where it is none of ours, and has been answered. */
    private @Nullable Revision revision(Visit visit, byte @Nullable [] id) {
        String named = visit.headers().version();
        if (named == null) {
            return Revision.UNNAMED;
        }
        Revision revision = Revision.of(named);
        if (revision == null) {
            String data =
                    "{\"supported\":"
                            + Revision.supported()
                            + ",\"requested\":"
                            + JsonText.quoted(JsonScanner.shortened(named))
                            + "}";
            answer(
                    visit,
                    400,
                    RpcError.of(
                            id,
                            RpcError.UNSUPPORTED_VERSION,
                            "unsupported protocol version",
                            data));
        }
        return revision;
    }

    /** The server that is asked for; null where there is none, and the request has been refused. */
    private @Nullable Endpoint endpoint(Visit visit, String tool, byte @Nullable [] id) {
        Endpoint endpoint = servers.get(visit.server());
        if (endpoint == null) {
            entrance.refuseUnknownTarget(
                    visit.reply(),
                    dialect(visit.id(), id, null),
                    visit.subject(tool, null),
                    visit.id());
        }
        return endpoint;
    }

    /**
     * What a request that is in order comes in with.
     *
     * @param session null where the request names none
     */
    private record Entry(Revision revision, @Nullable Session session) {}

    /** Opens the session that a request names; null where it has been answered instead. */
    private @Nullable Entry enter(
            Visit visit, Revision revision, String method, byte @Nullable [] id) {
        String sealed = visit.headers().session();
        if (revision.stateless()) {
            return new Entry(revision, null);
        }
        if ((sealed != null || method.equals(RpcMethods.INITIALIZE)) && !sessions.ready()) {
            entrance.refuse(
                    visit.reply(),
                    dialect(visit.id(), id, null),
                    noSealKey(),
                    visit.subject(method, null),
                    visit.id());
            return null;
        }
        if (sealed == null) {
            return new Entry(revision, null);
        }
        Session session = sessions.open(visit.owner(), sealed);
        if (session == null) {
            answer(
                    visit,
                    404,
                    RpcError.of(
                            id, SESSION_NOT_FOUND, "session not found: initialize again", null));
            return null;
        }
        return new Entry(revision, session);
    }

    private static Refusal noSealKey() {
        return Refusal.of(
                RefusalCode.CONTROL_STALE,
                "this replica has not read the cluster's seal keys yet",
                1_000,
                false,
                "The gateway is starting; try again in a moment.");
    }

    private static String tool(Message message) {
        if (message.method().equals(RpcMethods.TOOLS_CALL) && message.name() != null) {
            return message.name();
        }
        return message.kind() == Message.Kind.RESPONSE ? "response" : message.method();
    }

    private Call messageCall(
            Visit visit, Endpoint endpoint, Entry entry, Message message, byte[] body) {
        boolean request = message.kind() == Message.Kind.REQUEST;
        String label = message.kind() == Message.Kind.RESPONSE ? "response" : message.method();
        return new Call(
                visit.id(),
                visit.subject(tool(message), entry.session()),
                request && RpcMethods.counted(message.method()),
                label,
                "POST",
                endpoint.target(),
                forwarded(visit, entry),
                body,
                request && message.method().equals(RpcMethods.SUBSCRIPTIONS_LISTEN),
                visit.request().arrivedNanos(),
                new McpDialect(
                        visit.id(),
                        request ? message.id() : null,
                        endpoint.byStatus(),
                        seal(visit, entry)));
    }

    private HeaderBlock forwarded(Visit visit, Entry entry) {
        HeaderBlock headers = Forwarding.forwardable(visit.request().headers());
        // A compressed answer could not be ended with an event of ours.
        headers.remove("Accept-Encoding");
        headers.remove(McpDialect.SESSION);
        if (entry.revision().stateless()) {
            headers.remove(McpHeaders.LAST_EVENT);
        }
        if (entry.session() != null) {
            headers.add(McpDialect.SESSION, entry.session().upstream());
        }
        if (visit.headers().acceptsAnything() && visit.request().method().equals("POST")) {
            headers.set("Accept", BOTH_TYPES);
        }
        return headers;
    }

    /** A server may repeat the id in each answer: the client keeps the one that it has. */
    private McpDialect.Seal seal(Visit visit, Entry entry) {
        if (entry.revision().stateless()) {
            return McpDialect.Seal.NONE;
        }
        Session session = entry.session();
        return upstream ->
                session != null && session.upstream().equals(upstream)
                        ? session.sealed()
                        : sessions.seal(visit.owner(), upstream);
    }

    private void batch(Visit visit, List<Message> messages) {
        Revision revision = revision(visit, null);
        if (revision == null) {
            return;
        }
        RpcFault fault = MessageRules.batchFault(messages, revision);
        for (int i = 0; i < messages.size() && fault == null; i++) {
            fault = MessageRules.fault(messages.get(i), revision);
            if (fault == null) {
                fault = MessageRules.mismatch(messages.get(i), visit.headers(), revision);
            }
        }
        if (fault != null) {
            wrong(visit, null, fault);
            return;
        }
        if (!visit.headers().acceptsEvents()) {
            reject(visit, 406, "a batch is answered as text/event-stream");
            return;
        }
        Endpoint endpoint = endpoint(visit, "batch", null);
        Entry entry = endpoint == null ? null : enter(visit, revision, "batch", null);
        if (endpoint != null && entry != null) {
            runBatch(visit, endpoint, entry, messages);
        }
    }

    private void runBatch(Visit visit, Endpoint endpoint, Entry entry, List<Message> messages) {
        HeaderBlock headers = new HeaderBlock();
        entrance.decisions().add(headers, BatchReply.DECISION, visit.id());
        BatchReply answers = new BatchReply(visit.reply(), headers);
        long arrivedNanos = visit.request().arrivedNanos();
        for (Message message : messages) {
            if (answers.over()) {
                return;
            }
            byte[] body =
                    java.util.Arrays.copyOfRange(
                            visit.request().body(), message.start(), message.end());
            Visit element =
                    new Visit(
                            new InboundRequest(
                                    "POST",
                                    visit.request().target(),
                                    visit.request().headers(),
                                    body,
                                    visit.request().peer(),
                                    visit.request().certificate(),
                                    arrivedNanos),
                            visit.reply(),
                            visit.agent(),
                            visit.server(),
                            entrance.ids().get(),
                            visit.headers());
            Endpoint inBand = new Endpoint(endpoint.target(), false);
            run(
                    element,
                    answers.element(message),
                    messageCall(element, inBand, entry, message, body));
            arrivedNanos = entrance.ticker().getAsLong();
        }
        answers.finish();
    }

    private void run(Visit visit, Reply reply, Call call) {
        entrance.calls().run(call, reply);
    }

    /** A stream from the server, or the end of a session: nothing to judge but who asks. */
    private void bodiless(Visit visit) {
        boolean listens = visit.request().method().equals("GET");
        Revision revision = revision(visit, null);
        if (revision == null) {
            return;
        }
        String fault = visit.headers().fault();
        if (revision.stateless()) {
            notAllowed(visit, "POST");
        } else if (fault != null) {
            wrong(visit, null, new RpcFault(RpcError.HEADER_MISMATCH, fault));
        } else if (visit.request().body().length > 0) {
            reject(visit, 400, "a body has no meaning here");
        } else if (Forwarding.redirects(visit.request().headers())) {
            reject(visit, 400, "a header asks for another method or target");
        } else if (listens && !visit.headers().acceptsEvents()) {
            reject(visit, 406, "Accept must list text/event-stream");
        } else {
            runBodiless(visit, revision, listens);
        }
    }

    private void runBodiless(Visit visit, Revision revision, boolean listens) {
        String method = visit.request().method();
        Endpoint endpoint = endpoint(visit, method, null);
        Entry entry = endpoint == null ? null : enter(visit, revision, method, null);
        if (endpoint == null || entry == null) {
            return;
        }
        Call call =
                new Call(
                        visit.id(),
                        visit.subject(method, entry.session()),
                        false,
                        method,
                        method,
                        endpoint.target(),
                        forwarded(visit, entry),
                        NO_BODY,
                        listens,
                        visit.request().arrivedNanos(),
                        new McpDialect(visit.id(), null, endpoint.byStatus(), seal(visit, entry)));
        run(visit, visit.reply(), call);
    }

    /** Answers what the protocol itself calls wrong. */
    private void wrong(Visit visit, byte @Nullable [] id, RpcFault fault) {
        answer(visit, 400, RpcError.of(id, fault.code(), fault.reason(), null));
    }

    private void answer(Visit visit, int status, byte[] body) {
        HeaderBlock headers =
                entrance.rejected(status, visit.id()).set("Content-Type", "application/json");
        visit.reply().send(status, headers, body, 0, body.length);
    }

    private Dialect dialect(UUID call, byte @Nullable [] id, @Nullable Endpoint endpoint) {
        boolean byStatus = endpoint != null && endpoint.byStatus();
        return new McpDialect(call, id, byStatus, McpDialect.Seal.NONE);
    }
}

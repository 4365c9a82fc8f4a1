package io.penstock.gateway.mcp;

import io.penstock.gateway.api.Entrance;
import io.penstock.gateway.api.Forwarding;
import io.penstock.gateway.api.JsonText;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.config.ServerConfig;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.InboundRequest;
import io.penstock.gateway.http.Reply;
import io.penstock.gateway.http.RequestHandler;
import io.penstock.gateway.identity.Identity;
import io.penstock.gateway.mcp.Sessions.Session;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The door for MCP: {@code POST, GET, DELETE /mcp/{server}}, both eras of the protocol.
 *
 * <p><b>Guarantee.</b> What reaches the call path was read as one thing by a reader stricter than
 * any server's, agrees with its headers, and goes on as exactly the bytes that were judged. A
 * session reaches its upstream only from the agent that it was made for.
 *
 * <p><b>Failure.</b> What the protocol calls wrong keeps the protocol's status and code, and
 * reaches nobody.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
public final class McpDoor implements RequestHandler {
    private static final String PREFIX = "/mcp/";
    private static final String BATCH = "batch";

    /** What servers of the official SDKs say of a session that is not there. */
    private static final int SESSION_NOT_FOUND = -32001;

    private static final long SOON_MILLIS = 1_000;

    private final Map<String, Endpoint> servers = new HashMap<>();
    private final Entrance entrance;
    private final Sessions sessions;
    private final MessageReader reader;
    private final McpCalls calls;

    /**
     * @param servers all that are configured; plain HTTP APIs are not reached here
     * @param nesting deepest nesting of a body
     */
    public McpDoor(
            Iterable<ServerConfig> servers, Entrance entrance, Sessions sessions, int nesting) {
        for (ServerConfig server : servers) {
            if (server.mcp()) {
                this.servers.put(server.name(), Endpoint.of(server));
            }
        }
        this.entrance = entrance;
        this.sessions = sessions;
        this.reader = new MessageReader(nesting);
        this.calls = new McpCalls(sessions);
    }

    @Override
    public void handle(InboundRequest request, Reply reply) {
        UUID id = entrance.ids().get();
        switch (entrance.identification().identify(request.headers())) {
            case Identity.Unknown unknown ->
                    entrance.refuseUnknown(reply, dialect(id, null), unknown, id);
            case Identity.Agent agent ->
                    visit(
                            new Visit(
                                    request,
                                    reply,
                                    agent,
                                    server(request.target()),
                                    id,
                                    new McpHeaders(request.headers()),
                                    request.arrivedNanos()));
        }
    }

    /** A query does not go on: the endpoint has its own, if any. */
    private static String server(String target) {
        int question = target.indexOf('?');
        String server =
                target.substring(PREFIX.length(), question < 0 ? target.length() : question);
        return server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
    }

    private void visit(Visit visit) {
        if (Forwarding.redirects(visit.request().headers())) {
            reject(visit, 400, "a header asks for another method or target");
            return;
        }
        switch (visit.request().method()) {
            case "POST" -> post(visit);
            case "GET", "DELETE" -> bodiless(visit);
            default -> notAllowed(visit, "POST, GET, DELETE");
        }
    }

    private void post(Visit visit) {
        McpHeaders headers = visit.headers();
        if (!headers.plainBody()) {
            reject(visit, 415, "the body must not be encoded");
        } else if (!headers.json()) {
            reject(visit, 415, "the body must be application/json in UTF-8");
        } else if (!headers.acceptsJson() && !headers.acceptsEvents()) {
            reject(visit, 406, "Accept must list application/json and text/event-stream");
        } else {
            read(visit);
        }
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
        RpcFault fault = fault(visit, message, revision);
        if (fault != null) {
            wrong(visit, id, fault);
            return;
        }
        Entry entry = enter(visit, revision, message.method(), McpCalls.tool(message), id);
        if (entry != null) {
            byte[] body = visit.request().body();
            entrance.calls().run(calls.post(visit, entry, message, body), visit.reply());
        }
    }

    private static @Nullable RpcFault fault(Visit visit, Message message, Revision revision) {
        RpcFault fault = MessageRules.fault(message, revision);
        return fault != null ? fault : MessageRules.mismatch(message, visit.headers(), revision);
    }

    private void batch(Visit visit, List<Message> messages) {
        Revision revision = revision(visit, null);
        if (revision == null) {
            return;
        }
        RpcFault fault = MessageRules.batchFault(messages, revision);
        for (int i = 0; i < messages.size() && fault == null; i++) {
            fault = fault(visit, messages.get(i), revision);
        }
        if (fault != null) {
            wrong(visit, null, fault);
            return;
        }
        if (!visit.headers().acceptsEvents()) {
            reject(visit, 406, "a batch is answered as text/event-stream");
            return;
        }
        Entry entry = enter(visit, revision, BATCH, BATCH, null);
        if (entry != null) {
            Endpoint inBand = entry.endpoint().inBand();
            runAll(visit, new Entry(inBand, revision, entry.session()), messages);
        }
    }

    /** Each message of a batch is a call of its own, judged and answered one after the other. */
    private void runAll(Visit visit, Entry entry, List<Message> messages) {
        HeaderBlock headers = new HeaderBlock();
        entrance.decisions().add(headers, BatchReply.DECISION, visit.id());
        BatchReply answers = new BatchReply(visit.reply(), headers);
        Visit turn = visit;
        for (Message message : messages) {
            if (answers.over()) {
                return;
            }
            byte[] body =
                    Arrays.copyOfRange(visit.request().body(), message.start(), message.end());
            entrance.calls().run(calls.post(turn, entry, message, body), answers.element(message));
            turn = visit.next(entrance.ids().get(), entrance.ticker().getAsLong());
        }
        answers.finish();
    }

    /** Nothing to judge but who asks, and for which session. */
    private void bodiless(Visit visit) {
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
        } else if (visit.request().method().equals("GET") && !visit.headers().acceptsEvents()) {
            reject(visit, 406, "Accept must list text/event-stream");
        } else {
            String method = visit.request().method();
            Entry entry = enter(visit, revision, method, method, null);
            if (entry != null) {
                entrance.calls().run(calls.bodiless(visit, entry), visit.reply());
            }
        }
    }

    /** The revision that a request speaks; null where it is none of ours, and has been answered. */
    private @Nullable Revision revision(Visit visit, byte @Nullable [] id) {
        String named = visit.headers().version();
        Revision revision = named == null ? Revision.UNNAMED : Revision.of(named);
        if (named != null && revision == null) {
            String requested = JsonText.quoted(JsonScanner.shortened(named));
            String data =
                    "{\"supported\":" + Revision.supported() + ",\"requested\":" + requested + "}";
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

    /** Finds the server and opens the session; null where the request has been answered instead. */
    private @Nullable Entry enter(
            Visit visit, Revision revision, String method, String tool, byte @Nullable [] id) {
        Endpoint endpoint = servers.get(visit.server());
        if (endpoint == null) {
            entrance.refuseUnknownTarget(
                    visit.reply(), dialect(visit.id(), id), visit.subject(tool, null), visit.id());
            return null;
        }
        String sealed = revision.stateless() ? null : visit.headers().session();
        boolean begins = !revision.stateless() && method.equals(RpcMethods.INITIALIZE);
        if ((sealed != null || begins) && !sessions.ready()) {
            McpDialect dialect =
                    new McpDialect(visit.id(), id, endpoint.byStatus(), McpDialect.Seal.NONE);
            entrance.refuse(
                    visit.reply(), dialect, notReady(), visit.subject(tool, null), visit.id());
            return null;
        }
        Session session = sealed == null ? null : sessions.open(visit.owner(), sealed);
        if (sealed != null && session == null) {
            String reason = "session not found: initialize again";
            answer(visit, 404, RpcError.of(id, SESSION_NOT_FOUND, reason, null));
            return null;
        }
        return new Entry(endpoint, revision, session);
    }

    private static Refusal notReady() {
        return Refusal.of(
                RefusalCode.CONTROL_STALE,
                "this replica has not read the cluster's seal keys yet",
                SOON_MILLIS,
                false,
                "The gateway is starting; try again in a moment.");
    }

    private void notAllowed(Visit visit, String allow) {
        HeaderBlock headers = entrance.rejected(405, visit.id()).add("Allow", allow);
        entrance.reject(visit.reply(), 405, "this method is not for here", headers, visit.id());
    }

    private void reject(Visit visit, int status, String detail) {
        entrance.reject(visit.reply(), status, detail, visit.id());
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

    private static McpDialect dialect(UUID call, byte @Nullable [] id) {
        return new McpDialect(call, id, false, McpDialect.Seal.NONE);
    }
}

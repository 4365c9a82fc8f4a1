package io.penstock.gateway.mcp;

import io.penstock.gateway.api.Forwarding;
import io.penstock.gateway.call.Call;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.mcp.Sessions.Session;
import org.jspecify.annotations.Nullable;

/** Makes calls of what the door has let in. */
final class McpCalls {
    private static final String RESPONSE = "response";
    private static final byte[] NO_BODY = {};

    private final Sessions sessions;

    McpCalls(Sessions sessions) {
        this.sessions = sessions;
    }

    /** The tool of a message, for stops and budgets; what is no call has its method's name. */
    static String tool(Message message) {
        if (message.name() != null && message.method().equals(RpcMethods.TOOLS_CALL)) {
            return message.name();
        }
        return label(message);
    }

    private static String label(Message message) {
        return message.kind() == Message.Kind.RESPONSE ? RESPONSE : message.method();
    }

    /**
     * A message that is posted.
     *
     * @param body the message, byte for byte
     */
    Call post(Visit visit, Entry entry, Message message, byte[] body) {
        boolean request = message.kind() == Message.Kind.REQUEST;
        return new Call(
                visit.id(),
                visit.subject(tool(message), entry.session()),
                request && RpcMethods.counted(message.method()),
                label(message),
                "POST",
                entry.endpoint().target(),
                forwarded(visit, entry),
                body,
                request && message.method().equals(RpcMethods.SUBSCRIPTIONS_LISTEN),
                visit.arrivedNanos(),
                dialect(visit, entry, request ? message.id() : null));
    }

    /** A stream from the server (GET), or the end of a session (DELETE). */
    Call bodiless(Visit visit, Entry entry) {
        String method = visit.request().method();
        return new Call(
                visit.id(),
                visit.subject(method, entry.session()),
                false,
                method,
                method,
                entry.endpoint().target(),
                forwarded(visit, entry),
                NO_BODY,
                method.equals("GET"),
                visit.arrivedNanos(),
                dialect(visit, entry, null));
    }

    private static HeaderBlock forwarded(Visit visit, Entry entry) {
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
            headers.set("Accept", McpHeaders.BOTH);
        }
        return headers;
    }

    private McpDialect dialect(Visit visit, Entry entry, byte @Nullable [] id) {
        return new McpDialect(visit.id(), id, entry.endpoint().byStatus(), seal(visit, entry));
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
}

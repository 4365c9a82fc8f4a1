package io.penstock.gateway.mcp;

import io.penstock.gateway.api.Forwarding;
import io.penstock.gateway.api.ProblemDocument;
import io.penstock.gateway.call.Dialect;
import io.penstock.gateway.call.Refusal;
import io.penstock.gateway.call.RefusalCode;
import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What the client of one MCP message understands.
 *
 * <p>A request is refused inside the protocol, as HTTP 200 with a JSON-RPC error that carries its
 * id, because an HTTP error kills the session in common SDKs. What has no id to answer, and what
 * the protocol has a status for, is refused by status.
 *
 * <p><b>Threads.</b> One: each call has its own.
 */
final class McpDialect implements Dialect {
    static final String SESSION = "Mcp-Session-Id";
    private static final byte[] BLANK_LINES = "\n\n".getBytes(StandardCharsets.US_ASCII);

    private final UUID call;
    private final byte @Nullable [] id;
    private final boolean byStatus;
    private final Seal seal;
    private boolean events;

    /**
     * @param id the request's id as written, or null where there is none
     * @param byStatus refusals use the HTTP status of the table
     */
    McpDialect(UUID call, byte @Nullable [] id, boolean byStatus, Seal seal) {
        this.call = call;
        this.id = id;
        this.byStatus = byStatus;
        this.seal = seal;
    }

    /** What becomes of the session id in an upstream's answer. */
    @FunctionalInterface
    interface Seal {
        /** The client is told of no session. */
        Seal NONE = upstream -> null;

        /** What the client gets in place of it, or null for nothing. */
        @Nullable String seal(String upstream);
    }

    @Override
    public void refuse(Reply reply, Refusal refusal, HeaderBlock headers) {
        headers.set("Content-Type", "application/json");
        if (refusal.retryAfterMillis() >= 0) {
            headers.set("Retry-After", ProblemDocument.retryAfter(refusal));
        }
        if (refusal.code() == RefusalCode.UNAUTHENTICATED) {
            headers.set("WWW-Authenticate", "Bearer realm=\"penstock\"");
        }
        boolean inBand = id != null && !byStatus && refusal.code() != RefusalCode.UNAUTHENTICATED;
        byte[] body = RpcError.of(id, refusal, call);
        reply.send(inBand ? 200 : refusal.code().status(), headers, body, 0, body.length);
    }

    /**
     * On a stream of events one more, with the error; it begins with blank lines, which end an
     * event that was cut off and are nothing after one that was whole. A stream that answers no
     * request just ends. An answer that is no stream of events cannot be added to.
     */
    @Override
    public byte @Nullable [] lastEvent(Refusal refusal) {
        if (!events) {
            return null;
        }
        ByteArrayOutputStream event = new ByteArrayOutputStream(512);
        event.writeBytes(BLANK_LINES);
        if (id != null) {
            event.writeBytes("event: message\ndata: ".getBytes(StandardCharsets.US_ASCII));
            event.writeBytes(RpcError.of(id, refusal, call));
            event.writeBytes(BLANK_LINES);
        }
        return event.toByteArray();
    }

    @Override
    public String resultRoot() {
        return "/result";
    }

    @Override
    public void answered(int status, HeaderBlock headers) {
        events = events(headers);
        String upstream = headers.first(SESSION);
        Forwarding.cleanAnswer(headers);
        if (upstream != null) {
            headers.remove(SESSION);
            String sealed = seal.seal(upstream);
            if (sealed != null) {
                headers.add(SESSION, sealed);
            }
        }
    }

    /** Whether an answer is a stream of events. */
    static boolean events(HeaderBlock headers) {
        String type = headers.first("Content-Type");
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }
}

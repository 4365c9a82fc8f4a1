package io.penstock.gateway.mcp;

import io.penstock.gateway.api.JsonText;
import io.penstock.gateway.api.ProblemDocument;
import io.penstock.gateway.call.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes JSON-RPC error responses. */
final class RpcError {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    /** The headers and the body of a request of 2026-07-28 or later disagree. */
    static final int HEADER_MISMATCH = -32020;

    /** The protocol revision is not one that passes here. */
    static final int UNSUPPORTED_VERSION = -32022;

    private RpcError() {}

    /**
     * @param id the request's id as written; left out where there is none, because MCP, other than
     *     JSON-RPC, knows no null id
     * @param data JSON, or null for none
     */
    static byte[] of(byte @Nullable [] id, int code, String message, @Nullable String data) {
        JsonText json = new JsonText().begin().add("jsonrpc", "2.0");
        if (id != null) {
            json.addRaw("id", new String(id, StandardCharsets.UTF_8));
        }
        json.begin("error").add("code", code).add("message", message);
        if (data != null) {
            json.addRaw("data", data);
        }
        return json.end().end().bytes();
    }

    static byte[] of(byte @Nullable [] id, Refusal refusal, UUID call) {
        JsonText data = new JsonText().begin();
        ProblemDocument.members(data, refusal, call);
        return of(id, refusal.code().rpcCode(), refusal.message(), data.end().toString());
    }
}

package io.penstock.gateway.mcp;

/**
 * A body that is no message we can judge. Thrown by the scanner out of any depth and turned into a
 * {@link Reading.Refused} by {@link MessageReader}; leaves the package nowhere.
 */
final class MalformedMessage extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;

    private MalformedMessage(int code, String reason) {
        // No stack trace: it would cost more than reading the message, and hostile bodies are many.
        super(reason, null, false, false);
        this.code = code;
    }

    /** The bytes are not one JSON text. */
    static MalformedMessage notJson(String reason) {
        return new MalformedMessage(RpcError.PARSE_ERROR, reason);
    }

    /** They are JSON, but not one message that every reader takes for the same. */
    static MalformedMessage notRpc(String reason) {
        return new MalformedMessage(RpcError.INVALID_REQUEST, reason);
    }

    int code() {
        return code;
    }

    /** Never null: every one is made with a reason. */
    String reason() {
        return String.valueOf(getMessage());
    }
}

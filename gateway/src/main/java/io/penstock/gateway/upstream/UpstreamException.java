package io.penstock.gateway.upstream;

import org.jspecify.annotations.Nullable;

/**
 * An upstream could not be reached, broke off, or answered what is not HTTP. The message names no
 * internals.
 */
public final class UpstreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What went wrong, in the words of metrics and the journal. */
    public enum Kind {
        /** No connection within the connect timeout. */
        UNREACHABLE("unreachable"),
        /** The connection ended or failed during the exchange. */
        BROKE_OFF("broke-off"),
        /** The answer is not HTTP/1.1 as this gateway reads it. */
        NOT_HTTP("not-http"),
        /** The request cannot be written as HTTP/1.1; the upstream has no part in it. */
        BAD_REQUEST("bad-request"),
        /** {@link Exchange#cut} ended it. */
        CUT("cut");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }
    }

    private final Kind kind;

    public UpstreamException(Kind kind, String message) {
        this(kind, message, null);
    }

    public UpstreamException(Kind kind, String message, @Nullable Throwable cause) {
        // A stop may cut thousands at once, and where they were cut says nothing.
        super(message, cause, false, kind != Kind.CUT);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}

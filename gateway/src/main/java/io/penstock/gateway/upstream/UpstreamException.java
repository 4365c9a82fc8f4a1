package io.penstock.gateway.upstream;

/**
 * An upstream could not be reached, broke off, or answered what is not HTTP. The message names no
 * internals.
 */
public final class UpstreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UpstreamException(String message) {
        super(message);
    }

    public UpstreamException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.penstock.gateway;

/** A replica does not start, because what it was told cannot hold. The message says what to do. */
public final class ReplicaRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ReplicaRefusedException(String message) {
        super(message);
    }
}

package io.penstock.gateway.upstream;

/**
 * A connection to an upstream with its buffer; used by one exchange at a time.
 *
 * <p>One array serves the request's first bytes and then the answer, as the second begins only
 * after the first are gone.
 */
final class Connection {
    final Wire wire;
    final Inbound in = new Inbound();
    final AnswerHeadReader heads;
    final AnswerBody body;
    final long bornNanos;

    /** When its last exchange ended, or it was made. */
    long idleSinceNanos;

    /** How long it may stay without use. */
    long idleNanosMax = ConnectionPool.IDLE_NANOS;

    Connection(Wire wire, long nowNanos) {
        this.wire = wire;
        heads = new AnswerHeadReader(wire, in);
        body = new AnswerBody(wire, in, heads);
        bornNanos = nowNanos;
        idleSinceNanos = nowNanos;
    }

    /**
     * Whether it was found alive after an answer once: a server that closes after each answer
     * without saying so is found out then.
     */
    boolean proven;

    boolean expired(long nowNanos, long ageNanosMax) {
        return nowNanos - idleSinceNanos >= idleNanosMax || nowNanos - bornNanos >= ageNanosMax;
    }

    void close() {
        wire.close();
    }
}

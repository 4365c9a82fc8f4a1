package io.penstock.gateway.call;

/**
 * Watches the call path, for metrics.
 *
 * <p><b>Threads.</b> Called by every call's own thread; must be safe for concurrent use and never
 * block.
 */
public interface CallObserver {

    /** Sees nothing. */
    CallObserver NONE =
            new CallObserver() {
                @Override
                public void decided(String decision, String server, long elapsedNanos) {}

                @Override
                public void admissionTook(long elapsedNanos) {}

                @Override
                public void wouldRefuse(String budget) {}

                @Override
                public void warned(String budget) {}

                @Override
                public void upstreamTook(String server, long elapsedNanos) {}
            };

    /**
     * A call has ended.
     *
     * @param decision {@code admitted} or the refusal code's label
     * @param server the server's name, or {@code none} where it is not one of ours
     * @param elapsedNanos from arrival to the end of the answer
     */
    void decided(String decision, String server, long elapsedNanos);

    /** An admission was decided, either way. */
    void admissionTook(long elapsedNanos);

    /** A shadow budget would have refused a call that goes on. */
    void wouldRefuse(String budget);

    /** A budget that only warns would have refused a call that goes on. */
    void warned(String budget);

    /** An upstream answered: from the first byte sent to the end of its answer. */
    void upstreamTook(String server, long elapsedNanos);
}

package io.penstock.cluster.control;

/**
 * What the owner of a {@link ControlBus} is told.
 *
 * <p><b>Threads.</b> Called by the lease's thread, one call at a time. The lease cannot be renewed
 * while a call lasts, so it has to be short, and a bound is the caller's own lease.
 */
public interface BusEvents {

    /**
     * The incarnation was fenced: its lanes can never admit again. Everything under way was cut.
     * Lanes of the next one may be made before this returns; the gate opens after the next beat.
     */
    void incarnationChanged(Incarnation over, Incarnation next);

    /**
     * Another server, or another timeline of the same one, answers now. The gate is closed until
     * this returns and a beat succeeded: denial memory has to be dropped and lanes resolved.
     */
    void serverChanged();

    /** The replica can admit now. */
    void opened();

    /** The replica cannot admit any more: the lease ended. Nothing was cut yet. */
    void lapsed(String reason);
}

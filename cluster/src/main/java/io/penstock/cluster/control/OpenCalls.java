package io.penstock.cluster.control;

/**
 * What a replica has under way, as the control bus needs it.
 *
 * <p><b>Threads.</b> Called by the control bus's own threads; never blocks on a socket.
 */
public interface OpenCalls {

    /**
     * Judges everything under way by the new state: cuts what a cutting stop or a block matches,
     * marks what a draining stop matches.
     *
     * @return how many calls and streams this state has cut
     */
    int apply(Snapshot state);

    /** How many matching calls and streams are still open under that state's stops. */
    int openUnder(Snapshot state);

    /** How many calls and streams are open in all. */
    int open();

    /**
     * Closes the upstream connections of send sections that are still open under a state older than
     * this.
     */
    void closeSendsBefore(long epoch);

    /** Cuts everything: this incarnation is over. */
    void cutAll(String reason);
}

package io.penstock.cluster.control;

/**
 * The control state as this replica knows it now, and the send section over it.
 *
 * <p><b>Guarantee.</b> A thread between {@link #enter} and {@link Snapshot#leave} counts in the
 * snapshot that it was given, and that snapshot was the current one after the count was made; so a
 * waiter that published a newer snapshot before it looked at the older one's count misses nobody.
 *
 * <p><b>Threads.</b> Safe for concurrent use; {@link #publish} by one thread at a time.
 */
public final class ControlView {
    private volatile Snapshot current;

    public ControlView(Snapshot first) {
        current = first;
    }

    public Snapshot current() {
        return current;
    }

    /** Begins a send section; the caller judges by the snapshot it gets, writes, and leaves it. */
    public Snapshot enter() {
        while (true) {
            Snapshot seen = current;
            seen.enter();
            if (seen == current) {
                return seen;
            }
            seen.leave();
        }
    }

    void publish(Snapshot next) {
        current = next;
    }
}

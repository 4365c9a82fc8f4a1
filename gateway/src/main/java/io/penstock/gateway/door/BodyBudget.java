package io.penstock.gateway.door;

import io.penstock.gateway.door.RequestRefused.Reason;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory that all request bodies of one listener may take together. A bound for each body alone is
 * not enough: ten thousand connections times 4 MiB is more than any heap.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class BodyBudget {
    private final long most;
    private final AtomicLong taken = new AtomicLong();

    BodyBudget(long most) {
        this.most = most;
    }

    /**
     * Takes so many bytes.
     *
     * @throws RequestRefused where they are not there
     */
    void take(int bytes) {
        if (taken.addAndGet(bytes) > most) {
            taken.addAndGet(-bytes);
            throw new RequestRefused(
                    503, Reason.OVERLOADED, "Too many large bodies are being read at once.");
        }
    }

    void giveBack(int bytes) {
        taken.addAndGet(-bytes);
    }

    /** Bytes taken now. */
    long taken() {
        return taken.get();
    }
}

package io.penstock.gateway.api;

import io.penstock.budget.Subject;
import io.penstock.gateway.call.RefusalCode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Hears of what never became a call, for the journal and the metrics.
 *
 * <p><b>Threads.</b> Called by each request's own thread; must not block.
 */
public interface DoorRefusals {

    /** Hears nothing. */
    DoorRefusals NONE =
            new DoorRefusals() {
                @Override
                public void refused(RefusalCode code, @Nullable Subject subject, UUID call) {}

                @Override
                public void rejected(int status, UUID call) {}
            };

    /**
     * A request was refused before it was a call.
     *
     * @param subject who and what, where that was known by then
     */
    void refused(RefusalCode code, @Nullable Subject subject, UUID call);

    /** A request was one that the protocol itself calls wrong: it has a status, and no code. */
    void rejected(int status, UUID call);
}

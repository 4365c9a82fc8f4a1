package io.penstock.gateway.call;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import org.jspecify.annotations.Nullable;

/**
 * How one call's door speaks: what a refusal looks like, and what is changed in an answer's
 * headers.
 */
public interface Dialect {

    /**
     * Sends a refusal in the form this call's client understands.
     *
     * @param headers {@code Penstock-*} and {@code RateLimit} lines to send along
     */
    void refuse(Reply reply, Refusal refusal, HeaderBlock headers);

    /**
     * The last bytes of a stream that is cut: one SSE event with the error, or null where the
     * stream just ends.
     */
    byte @Nullable [] lastEvent(Refusal refusal);

    /** Where an answer's result stands in its document: the start of a JSON pointer. */
    String resultRoot();

    /**
     * Changes the upstream answer's headers to what this client may see (a session id is sealed).
     */
    void answered(int status, HeaderBlock headers);
}

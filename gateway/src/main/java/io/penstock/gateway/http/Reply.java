package io.penstock.gateway.http;

/**
 * The way back to one client, over HTTP/1.1 or HTTP/2.
 *
 * <p>Either {@link #send} once, or {@link #begin}, any number of {@link #write}, then {@link #end}
 * or {@link #abort}. The door adds framing, {@code Date} and connection headers; callers give none
 * of these, but for a {@code Content-Length} in an answer to HEAD or a 304, which the door passes
 * on there and leaves out everywhere else.
 *
 * <p><b>Failure.</b> Every method throws {@link ClientGone} when the client can no longer be
 * written to.
 *
 * <p><b>Threads.</b> Used by the call's own thread; {@link #wake} by any.
 */
public interface Reply {

    /** Sends a whole answer. */
    void send(int status, HeaderBlock headers, byte[] body, int offset, int length);

    /** Sends the head of a streamed answer at once, before any byte of its body. */
    void begin(int status, HeaderBlock headers);

    /** Sends a piece of a streamed answer, unbuffered. */
    void write(byte[] bytes, int offset, int length);

    /** Ends a streamed answer as complete. */
    void end();

    /** Ends a streamed answer so that the client sees it as cut short. */
    void abort();

    /** Whether a head has been sent. */
    boolean begun();

    /**
     * Has the action run, once, on another thread, when the client goes away before the answer has
     * ended.
     */
    void whenGone(Runnable action);

    /**
     * Wakes the call's thread where it waits for a client that does not read; the pending write
     * fails.
     */
    void wake();

    /** The client is gone, or was made to be. */
    final class ClientGone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public ClientGone(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

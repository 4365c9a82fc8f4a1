package io.penstock.gateway.upstream;

import io.penstock.gateway.http.HeaderBlock;
import java.util.function.BooleanSupplier;

/**
 * One HTTP/1.1 exchange on an explicit upstream connection.
 *
 * <p>Use: {@link #prepare}, {@link #sendFirst} inside the send section, {@link #sendRest}, {@link
 * #readHead}, {@link #read} until -1, then {@link #finish}; or {@link #cut} at any time, by any
 * thread.
 *
 * <p><b>Failure.</b> Every method but {@link #cut} throws {@link UpstreamException}; the exchange
 * is over then.
 *
 * <p><b>Threads.</b> One, but for {@link #cut}.
 */
public interface Exchange {

    /** Most bytes that {@link #sendFirst} writes. */
    int FIRST_BYTES = 16 * 1024;

    /**
     * Lays out the request; nothing is written yet, and it may be laid out again until it is.
     *
     * @param target the request target, forwarded byte for byte
     * @param headers all but {@code Host}, {@code Content-Length}, {@code Connection} and the
     *     server's configured headers, which the exchange adds
     */
    void prepare(String method, String target, HeaderBlock headers, byte[] body);

    /**
     * Writes the head and as much of the body as fits {@link #FIRST_BYTES} in all, with one system
     * call.
     */
    void sendFirst();

    /**
     * Writes what is left of the request, the body on a thread of its own.
     *
     * @param mayGoOn asked before each piece, on that thread; may wait; false ends the writing
     */
    void sendRest(BooleanSupplier mayGoOn);

    /** Waits for the final answer's status and headers; interim answers (1xx) are skipped. */
    int readHead();

    /**
     * The answer's headers, without hop-by-hop ones and framing; but for {@code Content-Length} of
     * an answer to HEAD or of a 304, where it only describes a body that does not follow.
     */
    HeaderBlock headers();

    /** The body's length in bytes where the answer names it, else -1. */
    long contentLength();

    /**
     * Body bytes as they come, decoded of framing: at least 1, or -1 at the end. Never waits to
     * fill the array.
     */
    int read(byte[] into, int offset, int length);

    /**
     * Ends the exchange: the connection is kept if the answer was read to its end and allows it,
     * else closed.
     */
    void finish();

    /**
     * Closes the connection now; a thread blocked in any method gets {@link UpstreamException}.
     * Never blocks.
     */
    void cut();

    /** Whether any byte of the request may have reached the socket. */
    boolean sent();
}

package io.penstock.gateway.upstream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One open socket to an upstream, plain or with TLS.
 *
 * <p><b>Threads.</b> One may read while another writes; {@link #close} by any.
 */
interface Wire {

    /** Waits for bytes and takes what is there: at least 1, or -1 at the end. */
    int read(ByteBuffer into) throws IOException;

    /** Hands over some bytes, at least 1, waiting for room where there is none. */
    int write(ByteBuffer from) throws IOException;

    /** Whether a write that fails is known to have taken nothing of what it was given. */
    boolean failsWhole();

    /**
     * Whether the peer has sent nothing since the last answer, not even its end. A kept connection
     * of which this is false is of no use.
     */
    boolean quiet();

    /** The same as far as it is known already, or cheap to find out. */
    boolean silent();

    /** Closes the socket at once. Never waits, neither for the peer nor for a thread in here. */
    void close();
}

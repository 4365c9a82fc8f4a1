package io.penstock.cluster.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes the driver gather a whole batch before it writes.
 *
 * <p>The driver's buffer is the smaller of {@code maxSendBufferSize} and the socket's own send
 * buffer, which the operating system decides. A batch that does not fit is split, and a client that
 * freezes between the parts leaves a server that has executed and waits for the rest with its locks
 * held and no time limit running. These sockets name a send buffer large enough for any batch;
 * nothing else about them differs.
 *
 * <p>Public, with a public constructor, because the driver makes it by its name.
 */
public final class WholeMessageSocketFactory extends SocketFactory {
    /**
     * More than the largest batch: 1,024 calls of 512 groups, each with names at their longest and
     * four budgets.
     */
    static final int BUFFER_BYTES = 2 << 20;

    /** Called by the driver. */
    public WholeMessageSocketFactory() {}

    @Override
    public Socket createSocket() {
        return new WholeMessageSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new java.net.InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
            throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new java.net.InetSocketAddress(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
            throws IOException {
        return createSocket(host, port);
    }

    private static Socket connected(java.net.InetSocketAddress address) throws IOException {
        Socket socket = new WholeMessageSocket();
        socket.connect(address);
        return socket;
    }

    private static final class WholeMessageSocket extends Socket {
        @Override
        public int getSendBufferSize() {
            return BUFFER_BYTES;
        }
    }
}

package io.penstock.cluster.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Makes the driver hand over a notification as soon as it is there.
 *
 * <p>Having read one, the driver looks whether another has come, and waits a millisecond for it: a
 * read with that timeout, its only way to look. A stop is on its way in that time. These sockets
 * answer a read with a timeout of {@value #GLANCE_MILLIS} ms at once; nothing else about them
 * differs.
 *
 * <p>Public, with a public constructor, because the driver makes it by its name.
 */
public final class GlancingSocketFactory extends SocketFactory {
    /** The timeout by which the driver looks; nobody else may wait so short. */
    static final int GLANCE_MILLIS = 1;

    /** Called by the driver. */
    public GlancingSocketFactory() {}

    @Override
    public Socket createSocket() {
        return new GlancingSocket();
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
        Socket socket = new GlancingSocket();
        socket.connect(address);
        return socket;
    }

    private static final class GlancingSocket extends Socket {
        private volatile boolean glancing;

        @Override
        public void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            glancing = millis == GLANCE_MILLIS;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new Glance(super.getInputStream());
        }

        private final class Glance extends FilterInputStream {
            Glance(InputStream in) {
                super(in);
            }

            @Override
            public int read() throws IOException {
                look();
                return super.read();
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                look();
                return super.read(bytes, from, length);
            }

            private void look() throws IOException {
                if (glancing && in.available() == 0) {
                    throw new SocketTimeoutException("nothing is there");
                }
            }
        }
    }
}

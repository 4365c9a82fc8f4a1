package io.penstock.gateway.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLSocket;

/** TLS over a socket channel; closed below TLS, because a TLS close can wait for its writer. */
final class TlsWire implements Wire {
    private final SocketChannel channel;
    private final InputStream in;
    private final OutputStream out;
    private final ByteBuffer probe = ByteBuffer.allocate(1);

    /**
     * @param socket layered over {@code channel}, its handshake done
     */
    TlsWire(SocketChannel channel, SSLSocket socket) throws IOException {
        this.channel = channel;
        in = socket.getInputStream();
        out = socket.getOutputStream();
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        int taken = in.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
        if (taken > 0) {
            into.position(into.position() + taken);
        }
        return taken;
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        int given = from.remaining();
        out.write(from.array(), from.arrayOffset() + from.position(), given);
        from.position(from.limit());
        return given;
    }

    @Override
    public boolean failsWhole() {
        return false;
    }

    /**
     * Looks below TLS, with one read that does not wait. What may lie there on an idle connection
     * is a close notice or a session ticket that came late; the second costs one connection and no
     * more.
     */
    @Override
    public boolean quiet() {
        probe.clear();
        try {
            channel.configureBlocking(false);
            try {
                return channel.read(probe) == 0;
            } finally {
                channel.configureBlocking(true);
            }
        } catch (IOException closed) {
            return false;
        }
    }

    @Override
    public boolean silent() {
        return quiet();
    }

    @Override
    public void close() {
        close(channel);
    }

    static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // The descriptor is released either way and nobody reads this connection again.
        }
    }
}

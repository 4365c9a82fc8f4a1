package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.penstock.gateway.socket.PolledChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.security.cert.Certificate;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A channel in the shape that Helidon's HTTP/2 expects. What is written together goes out together:
 * Helidon's own writes 8 KiB at a time.
 *
 * <p><b>Threads.</b> One reads, one writes at a time.
 */
final class PlainSocket implements HelidonSocket {
    /** Kept for writes of usual size; a larger one gets an array of its own. */
    private static final int KEPT_BYTES = 4 * 1024;

    /** In one write at most. */
    private static final int WRITE_BYTES = 128 * 1024;

    private final PolledChannel channel;
    private final ByteBuffer out = ByteBuffer.allocate(KEPT_BYTES);
    private final PeerInfo remote;
    private final PeerInfo local;

    /** An end of a connection without TLS, or below it. */
    private record Peer(SocketAddress address) implements PeerInfo {
        @Override
        public String host() {
            return address instanceof InetSocketAddress inet ? inet.getHostString() : "";
        }

        @Override
        public int port() {
            return address instanceof InetSocketAddress inet ? inet.getPort() : -1;
        }

        @Override
        public Optional<Principal> tlsPrincipal() {
            return Optional.empty();
        }

        @Override
        public Optional<Certificate[]> tlsCertificates() {
            return Optional.empty();
        }
    }

    PlainSocket(PolledChannel channel) throws IOException {
        this.channel = channel;
        remote = new Peer(channel.remoteAddress());
        local = new Peer(channel.localAddress());
    }

    @Override
    public byte @Nullable [] get() {
        try {
            return channel.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(BufferData data) {
        try {
            while (data.available() > 0) {
                int size = Math.min(data.available(), WRITE_BYTES);
                ByteBuffer staged = size <= KEPT_BYTES ? out.clear() : ByteBuffer.allocate(size);
                int ignored = data.writeTo(staged, size);
                staged.flip();
                while (staged.hasRemaining()) {
                    ignored += channel.write(staged);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        channel.close();
    }

    @Override
    public void idle() {}

    @Override
    public boolean isConnected() {
        return channel.isOpen();
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public int read(BufferData buffer) {
        throw new UnsupportedOperationException("use get()");
    }

    @Override
    public PeerInfo remotePeer() {
        return remote;
    }

    @Override
    public PeerInfo localPeer() {
        return local;
    }

    @Override
    public boolean isSecure() {
        return false;
    }

    @Override
    public String socketId() {
        return "door";
    }

    @Override
    public String childSocketId() {
        return "connection";
    }
}

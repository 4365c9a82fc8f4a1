package io.penstock.gateway.upstream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A bare socket channel in blocking mode.
 *
 * <p>A channel rather than a {@code Socket}: it can be asked without waiting whether the peer has
 * closed, and closing it wakes its reader and its writer.
 */
final class PlainWire implements Wire {
    private final SocketChannel channel;
    private final ByteBuffer probe = ByteBuffer.allocate(1);

    PlainWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public int write(ByteBuffer from) throws IOException {
        return channel.write(from);
    }

    @Override
    public boolean failsWhole() {
        return true;
    }

    @Override
    public boolean quiet() {
        return quiet(channel, probe);
    }

    /** One read that does not wait: nothing there, not even the end, is the only good answer. */
    static boolean quiet(SocketChannel channel, ByteBuffer probe) {
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

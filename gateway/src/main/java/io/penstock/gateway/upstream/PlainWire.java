package io.penstock.gateway.upstream;

import io.penstock.gateway.socket.PolledChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A bare channel: whether its peer has closed it is known without asking. */
final class PlainWire implements Wire {
    private final PolledChannel channel;

    /** Of the piece that was read last, what {@link #read} had no room for. */
    private byte @Nullable [] piece;

    private int taken;

    PlainWire(PolledChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        byte[] from = piece == null ? channel.read() : piece;
        if (from == null) {
            return -1;
        }
        int count = Math.min(from.length - taken, into.remaining());
        into.put(from, taken, count);
        taken += count;
        boolean more = taken < from.length;
        piece = more ? from : null;
        taken = more ? taken : 0;
        return count;
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
        return silent() && channel.look();
    }

    @Override
    public boolean silent() {
        return piece == null && channel.silent();
    }

    @Override
    public void close() {
        channel.close();
    }
}

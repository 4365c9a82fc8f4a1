package io.penstock.gateway.socket;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A connected TCP channel for virtual threads: who waits on it, parks.
 *
 * <p>Behaves as a blocking {@link SocketChannel} does: closing it wakes its reader and its writer,
 * and so does an interrupt, which closes it too.
 *
 * <p><b>Bounds.</b> One piece of at most {@link #PIECE_BYTES} is read ahead; what comes after it
 * stays in the kernel until that piece is taken. A channel on which nothing has arrived holds no
 * buffer.
 *
 * <p><b>Threads.</b> One may read and one may write at a time; {@link #close}, {@link
 * #shutdownOutput} and {@link #silent} any.
 */
public final class PolledChannel implements Closeable {
    /** What one read takes at most. */
    public static final int PIECE_BYTES = 16 * 1024;

    private final Poller poller;
    private final SocketChannel channel;
    private final SelectionKey key;
    private final AtomicReference<byte @Nullable []> arrived = new AtomicReference<>();

    /** The poller looks away, because a piece waits to be taken; whoever clears it sees to that. */
    private final AtomicBoolean paused = new AtomicBoolean();

    private volatile boolean ended;
    private volatile @Nullable IOException failure;
    private volatile @Nullable Thread reader;
    private volatile @Nullable Thread writer;
    private volatile boolean room;

    PolledChannel(Poller poller, SocketChannel channel, Selector selector)
            throws ClosedChannelException {
        this.poller = poller;
        this.channel = channel;
        key = channel.register(selector, 0);
        // The poller must not meet an object that is not whole.
        key.attach(this);
        key.interestOps(SelectionKey.OP_READ);
    }

    /**
     * Waits for the next bytes.
     *
     * @return at least one, in an array of their own; null at the end
     * @throws IOException where the connection is broken or was closed here
     */
    public byte @Nullable [] read() throws IOException {
        byte[] piece = arrived.get();
        if (piece == null) {
            awaitArrival();
            piece = arrived.get();
        }
        if (piece == null) {
            IOException broken = failure;
            if (broken != null) {
                throw broken;
            }
            if (!channel.isOpen()) {
                // Made here, not by who closes: a stop may close thousands at once.
                throw new AsynchronousCloseException();
            }
            return null;
        }
        arrived.set(null);
        if (paused.get()) {
            resume();
        }
        return piece;
    }

    private void awaitArrival() throws IOException {
        reader = Thread.currentThread();
        while (arrived.get() == null && !ended) {
            LockSupport.park(this);
            checkInterrupt();
        }
        reader = null;
    }

    /** Whether nothing has arrived that was not taken, not even the end. */
    public boolean silent() {
        return arrived.get() == null && !ended;
    }

    /**
     * Asks the system whether the other side has sent nothing and has not closed: {@link #silent}
     * knows what the poller has seen, which may be a moment old. After false the channel is of no
     * use, because what was there may be lost.
     */
    public boolean look() {
        try {
            return channel.read(ByteBuffer.allocate(1)) == 0 && silent();
        } catch (IOException e) {
            return false;
        }
    }

    /** Hands over some bytes, at least 1, waiting for room where there is none. */
    public int write(ByteBuffer from) throws IOException {
        int written = channel.write(from);
        while (written == 0 && from.hasRemaining()) {
            awaitRoom();
            written = channel.write(from);
        }
        return written;
    }

    private void awaitRoom() throws IOException {
        room = false;
        writer = Thread.currentThread();
        try {
            key.interestOpsOr(SelectionKey.OP_WRITE);
            poller.wake();
            while (!room && channel.isOpen()) {
                LockSupport.park(this);
                checkInterrupt();
            }
        } catch (CancelledKeyException e) {
            throw new AsynchronousCloseException();
        } finally {
            writer = null;
        }
    }

    private void checkInterrupt() throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            close();
            throw new ClosedByInterruptException();
        }
    }

    /** By the poller: reads, and wakes who waits. */
    void ready(SelectionKey key, ByteBuffer shared) {
        try {
            int ready = key.readyOps();
            if ((ready & SelectionKey.OP_WRITE) != 0) {
                key.interestOpsAnd(~SelectionKey.OP_WRITE);
                room = true;
                LockSupport.unpark(writer);
            }
            if ((ready & SelectionKey.OP_READ) != 0) {
                if (arrived.get() == null) {
                    readAhead(key, shared);
                } else {
                    pause(key);
                }
            }
        } catch (CancelledKeyException e) {
            ended(null);
        }
    }

    private void readAhead(SelectionKey key, ByteBuffer shared) {
        int count;
        try {
            count = channel.read(shared.clear());
        } catch (IOException e) {
            key.interestOpsAnd(~SelectionKey.OP_READ);
            ended(e);
            return;
        }
        if (count > 0) {
            byte[] piece = new byte[count];
            shared.flip().get(piece);
            arrived.set(piece);
            LockSupport.unpark(reader);
        } else if (count < 0) {
            key.interestOpsAnd(~SelectionKey.OP_READ);
            ended(null);
        }
    }

    private void pause(SelectionKey key) {
        key.interestOpsAnd(~SelectionKey.OP_READ);
        paused.set(true);
        if (arrived.get() == null) {
            // Taken in between, by somebody who may not have seen the pause.
            resume();
        }
    }

    private void resume() {
        if (paused.compareAndSet(true, false)) {
            try {
                key.interestOpsOr(SelectionKey.OP_READ);
                poller.wake();
            } catch (CancelledKeyException e) {
                ended(null);
            }
        }
    }

    private void ended(@Nullable IOException why) {
        if (!ended) {
            failure = why;
            ended = true;
        }
        LockSupport.unpark(reader);
        LockSupport.unpark(writer);
    }

    /** Where it goes to. */
    public SocketAddress remoteAddress() throws IOException {
        return channel.getRemoteAddress();
    }

    public SocketAddress localAddress() throws IOException {
        return channel.getLocalAddress();
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    /** The other side sees the end of what was written; it can still send. */
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    /**
     * Closes it and wakes who waits. Never blocks. What has arrived and was not taken is dropped.
     */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The descriptor is released either way, and nobody reads this connection again.
        }
        ended(null);
        // The system's socket is closed by the poller's next look.
        poller.wake();
    }
}

package io.penstock.gateway.socket;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Reads for many channels what has come in, and wakes the threads that wait for it.
 *
 * <p>The JDK's own way for a virtual thread is to try a read, register with epoll, park, be woken,
 * and read again: two system calls too many for each message. Here a channel is registered once,
 * and the poller makes the one read that finds something.
 *
 * <p>Two threads take turns. While little comes in, a platform thread waits in the selector and
 * wakes readers itself. When several channels are ready at once, it hands over to a virtual thread,
 * which looks without waiting, lets the readers that it has woken run on its own carrier, and looks
 * again; its first look in vain hands back.
 *
 * <p><b>Failure.</b> A channel that fails is ended alone. A selector that fails is tried again.
 *
 * <p><b>Source.</b> docs/adr/0033-own-poller.md
 */
final class Poller implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Poller.class.getName());

    /** So many ready at once are worth a handover, which costs two wake-ups. */
    private static final int BUSY_CHANNELS = 2;

    /** After a selector's failure, before the next try. */
    private static final long RETRY_NANOS = 10_000_000L;

    private final Selector selector = Selector.open();
    private final ByteBuffer shared = ByteBuffer.allocateDirect(PolledChannel.PIECE_BYTES);
    private final Consumer<SelectionKey> ready = this::ready;
    private final Thread waiting;
    private final Thread busy;
    private volatile boolean busyTurn;
    private volatile boolean closed;

    Poller(int number) throws IOException {
        waiting = Thread.ofPlatform().daemon().name("poller-" + number).unstarted(this::waitLoop);
        busy = Thread.ofVirtual().name("poller-busy-" + number).unstarted(this::busyLoop);
        waiting.start();
        busy.start();
    }

    PolledChannel take(SocketChannel channel) throws IOException {
        try {
            channel.configureBlocking(false);
            PolledChannel polled = new PolledChannel(this, channel, selector);
            wake();
            return polled;
        } catch (ClosedSelectorException e) {
            channel.close();
            throw new IOException("the pollers are closed", e);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Has the poller look at what it is to wait for, where it waits now. */
    void wake() {
        // Else the busy thread looks again before anybody waits.
        if (!busyTurn) {
            selector.wakeup();
        }
    }

    private void ready(SelectionKey key) {
        if (key.attachment() instanceof PolledChannel channel) {
            channel.ready(key, shared);
        }
    }

    private void waitLoop() {
        while (!closed) {
            if (look(true) >= BUSY_CHANNELS) {
                busyTurn = true;
                LockSupport.unpark(busy);
                while (busyTurn && !closed) {
                    LockSupport.park(this);
                }
            }
        }
        end();
    }

    private void busyLoop() {
        while (!closed) {
            while (!busyTurn && !closed) {
                LockSupport.park(this);
            }
            while (!closed && look(false) > 0) {
                Thread.yield();
            }
            busyTurn = false;
            LockSupport.unpark(waiting);
        }
    }

    /** How many channels were ready. */
    private int look(boolean mayWait) {
        try {
            return mayWait ? selector.select(ready) : selector.selectNow(ready);
        } catch (ClosedSelectorException e) {
            return 0;
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "event=poll-failed next=retry", e);
            LockSupport.parkNanos(RETRY_NANOS);
            return 0;
        }
    }

    /** Only the waiting thread, after its last look. */
    private void end() {
        for (SelectionKey key : List.copyOf(selector.keys())) {
            if (key.attachment() instanceof PolledChannel channel) {
                channel.close();
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "event=poller-close-failed", e);
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        LockSupport.unpark(busy);
        LockSupport.unpark(waiting);
    }
}

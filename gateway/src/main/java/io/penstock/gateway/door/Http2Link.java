package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.FixedLimit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection: Helidon's, with what it lacks wrapped around its reader and its writer.
 *
 * <p>Resets and the end of the connection reach the calls; time runs for the connection only while
 * no stream is open; every GOAWAY names the last stream that was seen, because a client may repeat
 * whatever came after that one, and Helidon names stream 0 (a call that ran could run twice).
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@code writing} is held while a frame is written:
 * frames of different threads must not mix. No other lock is taken under it but an exchange's.
 */
final class Http2Link implements FrameWatch.Listener {
    private static final System.Logger LOG = System.getLogger(Http2Link.class.getName());

    /**
     * DATA frames that may still arrive on streams which were given up, already on their way. Must
     * be less than the 32 that Helidon queues for a stream: the next one would block for ever.
     */
    private static final int STRAYS_MAX = 16;

    /**
     * CONTINUATION frames of one header block. Helidon counts their bytes, so that empty ones would
     * be kept without end; a block within any sensible bound needs a few.
     */
    private static final int CONTINUATIONS_MAX = 64;

    /** Frames a second that bring no request forward, such as pings, and how many at once. */
    private static final long IDLE_FRAMES_PER_SECOND = 1_000;

    private static final long IDLE_FRAME_NANOS = 1_000_000_000L / IDLE_FRAMES_PER_SECOND;
    private static final long IDLE_FRAMES_BURST = 2_000;

    /** Between the goodbye and the close: time for the client to read it, and for last frames. */
    private static final long GOODBYE_NANOS = 100_000_000L;

    private static final int GOAWAY = 7;
    private static final int LAST_STREAM_AT = 9;
    private static final int ERROR_AT = 13;
    private static final int NO_ERROR = 0;
    private static final int ENHANCE_YOUR_CALM = 11;
    private static final int LAST_ERROR = 13;
    private static final int ANY_STREAM = Integer.MAX_VALUE;

    private final Door door;
    private final HelidonSocket socket;
    private final Pace pace;
    private final @Nullable X509Certificate certificate;
    private final FrameWatch watch = new FrameWatch(this);
    private final ReentrantLock writing = new ReentrantLock();
    private final Map<Integer, Http2Exchange> byStream = new ConcurrentHashMap<>();
    private final Map<Thread, Http2Exchange> byThread = new ConcurrentHashMap<>();
    private volatile int lastStream;
    private volatile int goneAway = ANY_STREAM;
    private volatile boolean ended;
    private volatile boolean drainSaid;
    private int strays;
    private int continuations;
    private long idleFramesPaidUntil;
    private boolean flooding;

    Http2Link(Door door, HelidonSocket socket, Pace pace, @Nullable X509Certificate certificate) {
        this.door = door;
        this.socket = socket;
        this.pace = pace;
        this.certificate = certificate;
        idleFramesPaidUntil = door.ticker.getAsLong();
    }

    /**
     * Serves until the connection ends.
     *
     * @param first what was read of it already
     */
    void run(ServerConnectionSelector http2, byte[] first) {
        pace.idle(false);
        Http2Context context =
                new Http2Context(door.listener, this, socket, reader(first), writer());
        try {
            http2.connection(context).handle(FixedLimit.create());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "event=connection-ended protocol=h2", e);
        } finally {
            ended = true;
            byStream.values().forEach(Http2Exchange::gone);
        }
    }

    Door door() {
        return door;
    }

    @Nullable X509Certificate certificate() {
        return certificate;
    }

    /** A stream's thread begins; null where its request must not be answered any more. */
    @Nullable Http2Exchange begin(int stream) {
        Http2Exchange exchange =
                new Http2Exchange(stream, Thread.currentThread(), door.limits, door.ticker);
        synchronized (byStream) {
            if (stream > goneAway) {
                return null;
            }
            byStream.put(stream, exchange);
            pace.call();
        }
        byThread.put(exchange.thread(), exchange);
        if (ended) {
            exchange.gone();
        }
        return exchange;
    }

    void end(Http2Exchange exchange) {
        byThread.remove(exchange.thread());
        synchronized (byStream) {
            byStream.remove(exchange.stream());
            if (byStream.isEmpty()) {
                lastCallEnded();
            }
        }
    }

    void sweep(long now) {
        for (Http2Exchange each : byStream.values()) {
            each.sweep(now);
        }
        if (door.draining && !drainSaid) {
            drainSaid = true;
            Thread.startVirtualThread(() -> sayGoAway(ANY_STREAM, NO_ERROR));
        }
    }

    /** Says goodbye and closes, where no stream is open. Never blocks the caller. */
    void closeIdle() {
        synchronized (byStream) {
            if (!byStream.isEmpty() || goneAway != ANY_STREAM) {
                return;
            }
            goneAway = lastStream;
            pace.linger(GOODBYE_NANOS);
        }
        Thread.startVirtualThread(() -> sayGoAway(goneAway, NO_ERROR));
    }

    private void lastCallEnded() {
        if (goneAway == ANY_STREAM) {
            pace.idle(false);
        } else {
            pace.linger(GOODBYE_NANOS);
        }
    }

    @Override
    public void headers(int stream, boolean whole) {
        lastStream = Math.max(lastStream, stream);
        continuations = 0;
        if (!whole) {
            pace.headerBlock(true);
        }
    }

    @Override
    public void continued(int stream, boolean last) {
        flooding |= ++continuations > CONTINUATIONS_MAX;
        if (last) {
            pace.headerBlock(false);
        }
    }

    /**
     * Frames for a stream that nobody reads fill a queue of Helidon's and would then block the
     * whole connection for ever.
     */
    @Override
    public void data(int stream) {
        if (stream <= lastStream && !byStream.containsKey(stream)) {
            strays++;
        }
    }

    @Override
    public void reset(int stream) {
        Http2Exchange exchange = byStream.get(stream);
        if (exchange != null) {
            exchange.gone();
        }
    }

    @Override
    public void idle() {
        long now = door.ticker.getAsLong();
        if (idleFramesPaidUntil - now < 0) {
            idleFramesPaidUntil = now;
        }
        idleFramesPaidUntil += IDLE_FRAME_NANOS;
        flooding |= idleFramesPaidUntil - now > IDLE_FRAMES_BURST * IDLE_FRAME_NANOS;
    }

    private DataReader reader(byte[] first) {
        AtomicReference<byte @Nullable []> once = new AtomicReference<>(first);
        return DataReader.create(
                () -> {
                    byte[] begun = once.getAndSet(null);
                    byte[] bytes = begun == null ? read() : begun;
                    if (bytes != null) {
                        watch.pass(bytes);
                    }
                    if (flooding) {
                        return calmDown();
                    }
                    return strays > STRAYS_MAX ? null : bytes;
                });
    }

    /** Ends the connection of a client that only keeps us busy. */
    private byte @Nullable [] calmDown() {
        door.events.refused(RequestRefused.Reason.FLOOD.label());
        sayGoAway(lastStream, ENHANCE_YOUR_CALM);
        return null;
    }

    private byte @Nullable [] read() {
        try {
            return socket.get();
        } catch (UncheckedIOException e) {
            return null;
        }
    }

    private DataWriter writer() {
        return new DataWriter() {
            @Override
            public void write(BufferData... buffers) {
                writeNow(buffers);
            }

            @Override
            public void write(BufferData buffer) {
                writeNow(buffer);
            }

            @Override
            public void writeNow(BufferData... buffers) {
                writeNow(BufferData.create(buffers));
            }

            @Override
            public void writeNow(BufferData buffer) {
                byte[] frame = new byte[buffer.available()];
                int read = buffer.read(frame);
                if (read != frame.length) {
                    throw new IllegalStateException("frame of " + read + " of " + frame.length);
                }
                writeFrame(frame);
            }
        };
    }

    private void writeFrame(byte[] frame) {
        if (frame[3] == GOAWAY) {
            putInt(frame, LAST_STREAM_AT, lastStream);
            if (frame[ERROR_AT] != 0
                    || frame[ERROR_AT + 1] != 0
                    || frame[ERROR_AT + 2] != 0
                    || frame[ERROR_AT + 3] < 0
                    || frame[ERROR_AT + 3] > LAST_ERROR) {
                // Helidon puts HTTP's 431 here.
                putInt(frame, ERROR_AT, ENHANCE_YOUR_CALM);
            }
        }
        Http2Exchange mine = byThread.get(Thread.currentThread());
        if (mine != null) {
            mine.socketBegins();
        }
        try {
            writeLocked(frame);
        } finally {
            if (mine != null) {
                mine.socketEnds();
            }
        }
    }

    private void writeLocked(byte[] frame) {
        writing.lock();
        try {
            pace.writeBegins();
            socket.write(BufferData.create(frame));
        } finally {
            pace.writeEnds();
            writing.unlock();
        }
    }

    private void sayGoAway(int last, int error) {
        byte[] frame = new byte[17];
        frame[2] = 8;
        frame[3] = GOAWAY;
        putInt(frame, LAST_STREAM_AT, last);
        putInt(frame, ERROR_AT, error);
        try {
            writeLocked(frame);
        } catch (UncheckedIOException e) {
            LOG.log(Level.DEBUG, "event=goaway-failed", e);
        }
    }

    private static void putInt(byte[] into, int at, int value) {
        into[at] = (byte) (value >>> 24);
        into[at + 1] = (byte) (value >>> 16);
        into[at + 2] = (byte) (value >>> 8);
        into[at + 3] = (byte) value;
    }
}

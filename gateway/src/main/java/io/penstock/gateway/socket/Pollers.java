package io.penstock.gateway.socket;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The pollers of one process; connections are dealt out to them in turn.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> A poller reads for about a quarter of the calls that a core can make, so there is
 * one for every four processors.
 */
public final class Pollers implements AutoCloseable {
    private static final int PROCESSORS_EACH = 4;

    private final List<Poller> pollers;
    private final AtomicInteger next = new AtomicInteger();

    /** Starts them, as many as the processors here can use. */
    public Pollers() {
        int count = Math.max(1, Runtime.getRuntime().availableProcessors() / PROCESSORS_EACH);
        pollers = IntStream.range(0, count).mapToObj(Pollers::start).toList();
    }

    private static Poller start(int number) {
        try {
            return new Poller(number);
        } catch (IOException e) {
            throw new UncheckedIOException("no selector could be opened", e);
        }
    }

    /**
     * Takes a connected channel over: from now on only the result reads it, writes it and closes
     * it.
     *
     * @throws IOException where the channel or the pollers are closed; the channel is closed then
     */
    public PolledChannel take(SocketChannel channel) throws IOException {
        int index = Math.floorMod(next.getAndIncrement(), pollers.size());
        return pollers.get(index).take(channel);
    }

    /** Closes every channel that is still open, and ends the pollers' threads. */
    @Override
    public void close() {
        pollers.forEach(Poller::close);
    }
}

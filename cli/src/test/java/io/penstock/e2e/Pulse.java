package io.penstock.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the machine kept up: two threads beside a test that ask for very little, a short sleep
 * and a small flushed write, and note how long they had to wait for it at most.
 */
final class Pulse implements AutoCloseable {
    /** A thread that slept this much too long had no processor. */
    private static final Duration LATE = Duration.ofMillis(60);

    /** A database waits for a flush in each commit, and a call for the commit before its own. */
    private static final Duration SLOW_FLUSH = Duration.ofMillis(60);

    private static final Duration SLEEP = Duration.ofMillis(5);
    private static final Duration BETWEEN_FLUSHES = Duration.ofMillis(100);

    private final AtomicLong latest = new AtomicLong();
    private final AtomicLong slowest = new AtomicLong();
    private final Thread sleeper;
    private final Thread writer;
    private final Path file;

    private Pulse() {
        try {
            Files.createDirectories(Program.FOLDER);
            file = Files.createTempFile(Program.FOLDER, "pulse", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sleeper = Thread.ofPlatform().daemon().name("e2e-pulse").start(this::sleep);
        writer = Thread.ofPlatform().daemon().name("e2e-pulse-disk").start(this::flush);
    }

    static Pulse start() {
        return new Pulse();
    }

    boolean keptUp() {
        return latest.get() < LATE.toNanos() && slowest.get() < SLOW_FLUSH.toNanos();
    }

    /** What it noted, for people. */
    String text() {
        return "longest wait for a processor %d ms, slowest flush %d ms"
                .formatted(latest.get() / 1_000_000, slowest.get() / 1_000_000);
    }

    private void sleep() {
        try {
            while (true) {
                long began = System.nanoTime();
                Thread.sleep(SLEEP);
                note(latest, System.nanoTime() - began - SLEEP.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void flush() {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            while (true) {
                long began = System.nanoTime();
                channel.write(ByteBuffer.allocate(512), 0);
                channel.force(false);
                note(slowest, System.nanoTime() - began);
                Thread.sleep(BETWEEN_FLUSHES);
            }
        } catch (IOException e) {
            // interrupted within a write: the pulse is over
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void note(AtomicLong highest, long nanos) {
        highest.accumulateAndGet(nanos, Math::max);
    }

    @Override
    public void close() {
        sleeper.interrupt();
        writer.interrupt();
        try {
            writer.join();
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

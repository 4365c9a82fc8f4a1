package io.penstock.gateway.identity;

import io.penstock.cluster.control.KeyRing;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The agents' keys in a file beside the configuration, read again every few seconds.
 *
 * <p><b>Failure.</b> A file that cannot be read or has a fault leaves the keys as they were, and
 * says so once; a fault at the start is thrown, because a replica without its keys would refuse
 * everybody.
 *
 * <p><b>Threads.</b> {@link #keys} by any; reading happens on a thread of its own.
 */
public final class KeysFile implements AutoCloseable {
    /** How long a change may stay unseen. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    /** About 50,000 keys. */
    private static final int BYTES_MAX = 8 * 1024 * 1024;

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(1);
    private static final Logger LOG = System.getLogger(KeysFile.class.getName());

    private final Path path;
    private final Duration period;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile KeyRing keys;
    private byte[] seen;
    private boolean faulty;
    private @Nullable Thread thread;

    /**
     * @throws KeysFileException if it cannot be read or has a fault
     */
    public KeysFile(Path path, Duration period) {
        this.path = path;
        this.period = period;
        try {
            this.seen = bytes();
        } catch (IOException e) {
            throw new KeysFileException("keys file " + path + " cannot be read", e);
        }
        this.keys = parse(seen);
    }

    /** Begins to read it again every period. */
    public void start() {
        thread = Thread.ofVirtual().name("penstock-keys-file").start(this::watch);
    }

    /** The keys as last read. */
    public KeyRing keys() {
        return keys;
    }

    @Override
    public void close() {
        closed.countDown();
        Thread running = thread;
        if (running == null) {
            return;
        }
        try {
            running.join(CLOSE_WAIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() {
        try {
            while (!closed.await(period.toMillis(), TimeUnit.MILLISECONDS)) {
                refresh();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads the file now. */
    void refresh() {
        try {
            byte[] now = bytes();
            if (Arrays.equals(now, seen) && !faulty) {
                return;
            }
            KeyRing read = parse(now);
            seen = now;
            keys = read;
            faulty = false;
            LOG.log(Level.INFO, "event=keys-file-read path={0} keys={1}", path, read.size());
        } catch (IOException | KeysFileException e) {
            if (!faulty) {
                faulty = true;
                LOG.log(
                        Level.WARNING,
                        "event=keys-file-faulty path={0} kept={1} cause={2}",
                        path,
                        keys.size(),
                        e.getMessage());
            }
        }
    }

    private byte[] bytes() throws IOException {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new KeysFileException("more than " + BYTES_MAX + " bytes", null);
            }
            return bytes;
        }
    }

    private static KeyRing parse(byte[] bytes) {
        String text = StrictUtf8.decode(bytes);
        if (text == null) {
            throw new KeysFileException("not UTF-8", null);
        }
        return new KeyRing(KeysYaml.read(text));
    }
}

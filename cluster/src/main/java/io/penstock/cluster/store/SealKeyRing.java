package io.penstock.cluster.store;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The valid sealing keys, newest first, as they were read.
 *
 * <p>A new key opens at once, but seals only after {@value #SECONDS_BEFORE_USE} s: by then every
 * replica that is alive has read it, and none is handed a session that it cannot open.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class SealKeyRing {
    private static final int SECONDS_BEFORE_USE = 60;

    /**
     * @param secret 32 random bytes
     * @param bornNanos when it was made, on this process's monotonic clock
     */
    public record Key(int id, byte[] secret, long bornNanos) {
        /** Never shows the secret. */
        @Override
        public String toString() {
            return "Key[" + id + "]";
        }
    }

    private final List<Key> keys;

    SealKeyRing(List<Key> keys) {
        this.keys = List.copyOf(keys);
    }

    /** The key to seal with now, or null if there is none. */
    public @Nullable Key sealing(long nowNanos) {
        for (Key key : keys) {
            if (nowNanos - key.bornNanos() >= TimeUnit.SECONDS.toNanos(SECONDS_BEFORE_USE)) {
                return key;
            }
        }
        return keys.isEmpty() ? null : keys.getLast();
    }

    /** A valid key, or null. */
    public @Nullable Key find(int id) {
        for (Key key : keys) {
            if (key.id() == id) {
                return key;
            }
        }
        return null;
    }
}

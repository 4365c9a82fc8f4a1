package io.penstock.cluster.control;

import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * API keys by their digest.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class KeyRing {
    /** Holds no key. */
    public static final KeyRing EMPTY = new KeyRing(List.of());

    private record Entry(byte[] digest, AgentKey key) {}

    private final Map<Long, List<Entry>> byPrefix = new HashMap<>();
    private final Set<String> revoked = new HashSet<>();
    private final int size;

    public KeyRing(List<AgentKey> keys) {
        this(keys, List.of());
    }

    /**
     * @param revoked keys that must not be honoured wherever else they are kept: a replica's own
     *     keys file may still hold them, under the same id or another
     */
    public KeyRing(List<AgentKey> keys, List<AgentKey> revoked) {
        for (AgentKey key : revoked) {
            this.revoked.add(key.id());
            this.revoked.add(key.sha256());
        }
        for (AgentKey key : keys) {
            byte[] digest = HexFormat.of().parseHex(key.sha256());
            byPrefix.merge(prefix(digest), List.of(new Entry(digest, key)), KeyRing::joined);
        }
        size = keys.size();
    }

    /**
     * The key with that digest, or null. The full digests are compared in constant time; the
     * look-up by prefix shows only what a digest, which cannot be steered, already hides.
     */
    public @Nullable AgentKey find(byte[] digest) {
        List<Entry> entries = byPrefix.get(prefix(digest));
        if (entries == null) {
            return null;
        }
        AgentKey found = null;
        for (Entry entry : entries) {
            if (MessageDigest.isEqual(entry.digest(), digest)) {
                found = entry.key();
            }
        }
        return found;
    }

    /** Whether a key that is kept elsewhere was revoked for the whole cluster. */
    public boolean revoked(AgentKey key) {
        return revoked.contains(key.id()) || revoked.contains(key.sha256());
    }

    public int size() {
        return size;
    }

    private static long prefix(byte[] digest) {
        long prefix = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            prefix = (prefix << 8) | (digest[i] & 0xff);
        }
        return prefix;
    }

    private static List<Entry> joined(List<Entry> one, List<Entry> other) {
        return java.util.stream.Stream.concat(one.stream(), other.stream()).toList();
    }
}

package io.penstock.gateway.mcp;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Finds a key that stands twice in one object, at any depth, in one pass and without a tree.
 *
 * <p>Keys of objects that are still open lie on a stack; an object's own keys are contiguous,
 * because whatever was inside it has been popped. Small objects are searched as they come; large
 * ones are sorted by hash when they close.
 *
 * <p><b>Bounds.</b> {@link #KEYS_MAX} keys open at once, so that a body of keys alone cannot take
 * many times its own size; {@link #COLLISIONS_MAX} keys of one hash, so that keys made to collide
 * (the seed is random for each process) cannot take quadratic time.
 *
 * <p><b>Threads.</b> One.
 */
final class KeyStack {
    static final int KEYS_MAX = 65_536;
    static final int COLLISIONS_MAX = 64;
    private static final int SEARCHED_MAX = 12;
    private static final int SEED = new SecureRandom().nextInt() | 1;

    private final byte[] text;
    private byte[] decoded = {};
    private int decodedLength;
    private int[] hashes = new int[16];
    private int[] starts = new int[16];
    private int[] ends = new int[16];
    private int top;

    KeyStack(byte[] text) {
        this.text = text;
    }

    /** Begins an object; what {@link #close} needs. */
    int open() {
        return top;
    }

    /**
     * Adds a key of the object opened last: {@code text[start..end)}.
     *
     * @return false if it was there before
     */
    boolean add(int mark, int start, int end) {
        int hash = SEED;
        for (int i = start; i < end; i++) {
            hash = (hash ^ text[i]) * 0x01000193;
        }
        return push(mark, hash, start, end);
    }

    /** The same for a key that was written with escapes: by what it means. */
    boolean addDecoded(int mark, byte[] key) {
        if (decodedLength + key.length > decoded.length) {
            decoded = Arrays.copyOf(decoded, 2 * (decodedLength + key.length));
        }
        System.arraycopy(key, 0, decoded, decodedLength, key.length);
        int start = text.length + decodedLength;
        decodedLength += key.length;
        int hash = SEED;
        for (byte each : key) {
            hash = (hash ^ each) * 0x01000193;
        }
        return push(mark, hash, start, start + key.length);
    }

    /**
     * Ends the object opened last.
     *
     * @return false if one of its keys was there twice
     */
    boolean close(int mark) {
        boolean unique = top - mark <= SEARCHED_MAX || uniqueByHash(mark);
        top = mark;
        return unique;
    }

    private boolean push(int mark, int hash, int start, int end) {
        if (top == KEYS_MAX) {
            throw MalformedMessage.notRpc("more than " + KEYS_MAX + " keys in one object");
        }
        if (top == hashes.length) {
            hashes = Arrays.copyOf(hashes, 2 * top);
            starts = Arrays.copyOf(starts, 2 * top);
            ends = Arrays.copyOf(ends, 2 * top);
        }
        hashes[top] = hash;
        starts[top] = start;
        ends[top] = end;
        top++;
        return top - mark > SEARCHED_MAX || !found(mark, top - 1);
    }

    private boolean found(int from, int key) {
        for (int i = from; i < key; i++) {
            if (hashes[i] == hashes[key] && same(i, key)) {
                return true;
            }
        }
        return false;
    }

    private boolean uniqueByHash(int mark) {
        long[] order = new long[top - mark];
        for (int i = 0; i < order.length; i++) {
            order[i] = ((long) hashes[mark + i] << 32) | (mark + i);
        }
        Arrays.sort(order);
        int first = 0;
        for (int i = 1; i < order.length; i++) {
            if (order[i] >> 32 != order[first] >> 32) {
                first = i;
            }
            if (i - first > COLLISIONS_MAX) {
                throw MalformedMessage.notRpc("too many keys that look alike in one object");
            }
            for (int j = first; j < i; j++) {
                if (same((int) order[j], (int) order[i])) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean same(int one, int other) {
        int length = ends[one] - starts[one];
        if (length != ends[other] - starts[other]) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (at(starts[one] + i) != at(starts[other] + i)) {
                return false;
            }
        }
        return true;
    }

    private byte at(int index) {
        return index < text.length ? text[index] : decoded[index - text.length];
    }
}

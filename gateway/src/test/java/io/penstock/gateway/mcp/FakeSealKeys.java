package io.penstock.gateway.mcp;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Seal keys that a test turns over. */
final class FakeSealKeys implements SealKeys {
    private final Map<Integer, SealKey> keys = new HashMap<>();
    private int newest;

    FakeSealKeys() {
        rotate();
    }

    /** Adds a key and seals with it from now on; the one before stays valid, older ones do not. */
    void rotate() {
        newest++;
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) newest);
        keys.put(newest, SealKey.of(newest, secret));
        keys.remove(newest - 2);
    }

    void forget() {
        keys.clear();
    }

    @Override
    public @Nullable SealKey current() {
        return keys.get(newest);
    }

    @Override
    public @Nullable SealKey find(int id) {
        return keys.get(id);
    }
}

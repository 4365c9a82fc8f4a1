package io.penstock.gateway.mcp;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that session ids are sealed with, shared by all replicas.
 *
 * @param id names the key within a sealed id
 */
public record SealKey(int id, SecretKey key) {
    private static final int BYTES = 32;

    /**
     * @param secret 32 random bytes
     */
    public static SealKey of(int id, byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException(
                    "a seal key has " + BYTES + " bytes, not " + secret.length);
        }
        return new SealKey(id, new SecretKeySpec(secret, "AES"));
    }

    /** Never shows the key. */
    @Override
    public String toString() {
        return "SealKey[" + id + "]";
    }
}

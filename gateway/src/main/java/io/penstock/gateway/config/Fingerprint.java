package io.penstock.gateway.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** A short digest of key-value pairs. */
final class Fingerprint {
    private static final int HEX_DIGITS = 16;

    private Fingerprint() {}

    static String of(Map<String, String> values, Predicate<String> keys) {
        MessageDigest digest = sha256();
        new TreeMap<>(values)
                .forEach(
                        (key, value) -> {
                            if (keys.test(key)) {
                                String line = key.length() + ":" + key + "=" + value + "\n";
                                digest.update(line.getBytes(StandardCharsets.UTF_8));
                            }
                        });
        return HexFormat.of().formatHex(digest.digest()).substring(0, HEX_DIGITS);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}

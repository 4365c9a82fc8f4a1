package io.penstock.gateway.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Who may use the operators' API: the digest of a token, never the token. */
final class AdminToken {
    private final String id;
    private final byte[] sha256;
    private final Role role;

    /**
     * @param sha256 64 hexadecimal digits
     */
    AdminToken(String id, String sha256, Role role) {
        this.id = id;
        this.sha256 = HexFormat.of().parseHex(sha256);
        this.role = role;
    }

    String id() {
        return id;
    }

    Role role() {
        return role;
    }

    /** Takes the same time wherever the digests differ. */
    boolean matches(byte[] digest) {
        return MessageDigest.isEqual(sha256, digest);
    }

    static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "AdminToken[" + id + " " + role.word() + "]";
    }
}

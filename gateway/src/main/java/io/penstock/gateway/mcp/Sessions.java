package io.penstock.gateway.mcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes of an upstream's session id one that any replica can serve and only the agent that it was
 * made for can use.
 *
 * <p>What the client holds is {@code base64url(format, key id, nonce, AES-256-GCM(session name,
 * upstream id))}; tenant, agent and server are authenticated along with it, so that an id sealed
 * for another agent or server, or with a foreign key, does not open. The session name is random,
 * made when the session is; budgets count by it, because the client cannot choose or vary it, and
 * the upstream's own id, which is a secret, goes nowhere else.
 *
 * <p><b>Bounds.</b> Random nonces: 2^32 sessions for one key (NIST SP 800-38D, 8.3).
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> About 2 µs either way.
 */
public final class Sessions {
    /** Longest upstream id; longer ones are not passed on. */
    static final int UPSTREAM_MAX = 1024;

    private static final byte FORMAT = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int HEAD_BYTES = 1 + Integer.BYTES + NONCE_BYTES;
    private static final int NAME_BYTES = 12;
    private static final int SEALED_CHARS_MAX =
            (HEAD_BYTES + NAME_BYTES + UPSTREAM_MAX + TAG_BITS / 8) * 4 / 3 + 4;

    private final SealKeys keys;
    private final SecureRandom random;

    public Sessions(SealKeys keys, SecureRandom random) {
        this.keys = keys;
        this.random = random;
    }

    /** Whom and what a session is sealed for. */
    record Owner(String tenant, String agent, String server) {
        byte[] bytes() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
            for (String part : new String[] {tenant, agent, server}) {
                byte[] utf8 = part.getBytes(StandardCharsets.UTF_8);
                bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(utf8.length).array());
                bytes.writeBytes(utf8);
            }
            return bytes.toByteArray();
        }
    }

    /**
     * An open session.
     *
     * @param sealed what the client holds
     * @param name what budgets count by
     * @param upstream what the server knows it by
     */
    record Session(String sealed, String name, String upstream) {
        /** Never shows an id that would open the session. */
        @Override
        public String toString() {
            return "Session[" + name + "]";
        }
    }

    /** Whether there is a key to seal and open with. */
    boolean ready() {
        return keys.current() != null;
    }

    /** Seals a new session's id; null where it is not one that can be passed on. */
    @Nullable String seal(Owner owner, String upstream) {
        SealKey key = keys.current();
        if (key == null || !visible(upstream) || upstream.length() > UPSTREAM_MAX) {
            return null;
        }
        byte[] head = new byte[HEAD_BYTES];
        byte[] nonce = new byte[NONCE_BYTES];
        byte[] plain = new byte[NAME_BYTES + upstream.length()];
        byte[] name = new byte[NAME_BYTES];
        random.nextBytes(nonce);
        random.nextBytes(name);
        ByteBuffer.wrap(head).put(FORMAT).putInt(key.id()).put(nonce);
        ByteBuffer.wrap(plain).put(name).put(upstream.getBytes(StandardCharsets.US_ASCII));
        try {
            byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, head, owner).doFinal(plain);
            byte[] whole =
                    ByteBuffer.allocate(HEAD_BYTES + sealed.length).put(head).put(sealed).array();
            return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM refused to seal", e);
        }
    }

    /** Opens what a client presents; null where it was not sealed for this owner by a valid key. */
    @Nullable Session open(Owner owner, String sealed) {
        byte[] whole = decode(sealed);
        if (whole == null || whole.length < HEAD_BYTES + NAME_BYTES + TAG_BITS / 8) {
            return null;
        }
        SealKey key = keys.find(ByteBuffer.wrap(whole).getInt(1));
        if (whole[0] != FORMAT || key == null) {
            return null;
        }
        try {
            byte[] plain =
                    cipher(Cipher.DECRYPT_MODE, key, whole, owner)
                            .doFinal(whole, HEAD_BYTES, whole.length - HEAD_BYTES);
            return session(sealed, plain);
        } catch (AEADBadTagException e) {
            return null;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-GCM refused to open", e);
        }
    }

    private static Session session(String sealed, byte[] plain) {
        byte[] name = Arrays.copyOf(plain, NAME_BYTES);
        String upstream =
                new String(plain, NAME_BYTES, plain.length - NAME_BYTES, StandardCharsets.US_ASCII);
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        return new Session(sealed, encoder.encodeToString(name), upstream);
    }

    private static byte @Nullable [] decode(String sealed) {
        if (sealed.length() > SEALED_CHARS_MAX) {
            return null;
        }
        try {
            return Base64.getUrlDecoder().decode(sealed);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static Cipher cipher(int mode, SealKey key, byte[] head, Owner owner)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                mode,
                key.key(),
                new GCMParameterSpec(TAG_BITS, head, HEAD_BYTES - NONCE_BYTES, NONCE_BYTES));
        cipher.updateAAD(head, 0, HEAD_BYTES);
        cipher.updateAAD(owner.bytes());
        return cipher;
    }

    /** Whether an id has only the characters that the protocol allows. */
    private static boolean visible(String id) {
        for (int i = 0; i < id.length(); i++) {
            if (id.charAt(i) < 0x21 || id.charAt(i) > 0x7e) {
                return false;
            }
        }
        return !id.isEmpty();
    }
}

package io.penstock.gateway.identity;

import io.penstock.cluster.control.AgentKey;
import io.penstock.cluster.control.KeyRing;
import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows agents by an API key, of which only the SHA-256 is kept: {@code Authorization: Bearer KEY}
 * or {@code X-API-Key: KEY}.
 *
 * <p>A key in the keys file counts only while the cluster has not revoked it: a revocation travels
 * like a stop and must hold on a replica whose file nobody has changed yet.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 *
 * <p><b>Cost.</b> One SHA-256 of a short text and two look-ups, below 1 µs.
 */
public final class ApiKeys implements Identification {
    private static final int KEY_MAX = 512;
    private static final String BEARER = "Bearer ";

    private final Supplier<KeyRing> cluster;
    private final Supplier<KeyRing> file;
    private final MessageDigest prototype;

    /**
     * @param cluster the keys of the control state as it is now
     * @param file the keys of this replica's own file
     */
    public ApiKeys(Supplier<KeyRing> cluster, Supplier<KeyRing> file) {
        this.cluster = cluster;
        this.file = file;
        this.prototype = sha256();
    }

    @Override
    public Identity identify(HeaderBlock headers) {
        String authorization = headers.first("Authorization");
        String header = headers.first("X-API-Key");
        if (authorization == null && header == null) {
            return new Identity.Unknown(false, "an API key is needed");
        }
        if (headers.count("Authorization") > 1 || headers.count("X-API-Key") > 1) {
            return new Identity.Unknown(true, "the API key is given twice");
        }
        String bearer = authorization == null ? null : bearer(authorization);
        if (authorization != null && bearer == null) {
            return new Identity.Unknown(true, "the scheme of Authorization must be Bearer");
        }
        if (bearer != null && header != null && !bearer.equals(header)) {
            return new Identity.Unknown(true, "Authorization and X-API-Key disagree");
        }
        AgentKey key = find(bearer != null ? bearer : String.valueOf(header));
        return key == null
                ? new Identity.Unknown(true, "the API key is not known")
                : new Identity.Agent(key.tenant(), key.agent());
    }

    private static @Nullable String bearer(String authorization) {
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).strip()
                : null;
    }

    private @Nullable AgentKey find(String key) {
        if (key.isEmpty() || key.length() > KEY_MAX) {
            return null;
        }
        byte[] digest = copy().digest(key.getBytes(StandardCharsets.ISO_8859_1));
        KeyRing known = cluster.get();
        AgentKey found = known.find(digest);
        if (found != null) {
            return found;
        }
        AgentKey inFile = file.get().find(digest);
        return inFile == null || known.revoked(inFile) ? null : inFile;
    }

    /** A copy costs a fraction of a look-up among the security providers. */
    private MessageDigest copy() {
        try {
            return (MessageDigest) prototype.clone();
        } catch (CloneNotSupportedException e) {
            return sha256();
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}

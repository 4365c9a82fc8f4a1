package io.penstock.cluster.store;

import io.penstock.cluster.postgres.Transactions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Agents' API keys in the database: made and revoked by an operator, never readable again.
 *
 * <p><b>Guarantee.</b> A revocation raises the control epoch in its own transaction, and so is
 * acknowledged like a stop: once every replica has installed the epoch or is without a lease, the
 * key is worth nothing.
 *
 * <p><b>Failure.</b> A {@link SQLException} whose class is unknown leaves the outcome open; the
 * same call with the same {@link NewKey} or id can be repeated.
 *
 * <p><b>Threads.</b> None of its own; the connection is the caller's, in autocommit mode.
 */
public final class KeyStore {
    private static final String PREFIX = "pk_";
    private static final int KEY_BYTES = 32;
    private static final int ID_BYTES = 5;

    private static final String NEW = "select penstock.new_key_v1(?, ?, ?, ?, ?)";
    private static final String REVOKE = "select penstock.revoke_key_v1(?, ?, ?)";
    private static final String LIST =
            "select id, tenant, agent, created_at, created_by, revoked_at, revoked_by"
                    + " from penstock.agent_keys order by tenant, agent, created_at, id";

    private KeyStore() {}

    /**
     * A key before it is stored; the only place where it can be seen.
     *
     * @param key what the agent sends; show it once
     */
    public record NewKey(String id, String key, String tenant, String agent) {
        /** A new one: 256 random bits. */
        public static NewKey random(SecureRandom random, String tenant, String agent) {
            byte[] secret = new byte[KEY_BYTES];
            random.nextBytes(secret);
            byte[] id = new byte[ID_BYTES];
            random.nextBytes(id);
            return new NewKey(
                    "k" + HexFormat.of().formatHex(id),
                    PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(secret),
                    tenant,
                    agent);
        }

        String sha256() {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                return HexFormat.of()
                        .formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }

        /** Never shows the key. */
        @Override
        public String toString() {
            return "NewKey[" + id + ", " + tenant + "/" + agent + "]";
        }
    }

    /** A key as it is listed. */
    public record Listed(
            String id,
            String tenant,
            String agent,
            Instant createdAt,
            String createdBy,
            @Nullable Instant revokedAt,
            @Nullable String revokedBy) {}

    /**
     * Stores a new key.
     *
     * @return the epoch from which on replicas know it
     */
    public static long add(Connection c, NewKey key, @Nullable String actor) throws SQLException {
        OptionalLong epoch;
        try (PreparedStatement s = c.prepareStatement(NEW)) {
            s.setString(1, key.id());
            s.setString(2, key.sha256());
            s.setString(3, key.tenant());
            s.setString(4, key.agent());
            s.setString(5, actor);
            epoch = epoch(c, s);
        }
        long raised =
                epoch.orElseThrow(() -> new StoreException("the key id is taken: " + key.id()));
        Hint.send(c, raised);
        return raised;
    }

    /**
     * Revokes a key, again if need be.
     *
     * @return the epoch that every replica must have installed, empty if there is no such key
     */
    public static OptionalLong revoke(
            Connection c, String id, @Nullable String reason, @Nullable String actor)
            throws SQLException {
        OptionalLong epoch;
        try (PreparedStatement s = c.prepareStatement(REVOKE)) {
            s.setString(1, id);
            s.setString(2, reason);
            s.setString(3, actor);
            epoch = epoch(c, s);
        }
        epoch.ifPresent(raised -> Hint.send(c, raised));
        return epoch;
    }

    /** All keys, by tenant and agent, revoked ones too. */
    public static List<Listed> list(Connection c) throws SQLException {
        List<Listed> keys = new ArrayList<>();
        try (PreparedStatement s = c.prepareStatement(LIST);
                ResultSet row = s.executeQuery()) {
            while (row.next()) {
                OffsetDateTime revoked = row.getObject("revoked_at", OffsetDateTime.class);
                keys.add(
                        new Listed(
                                row.getString("id"),
                                row.getString("tenant"),
                                row.getString("agent"),
                                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                                row.getString("created_by"),
                                revoked == null ? null : revoked.toInstant(),
                                row.getString("revoked_by")));
            }
        }
        return keys;
    }

    private static OptionalLong epoch(Connection c, PreparedStatement s) throws SQLException {
        try (ResultSet row = s.executeQuery()) {
            row.next();
            long epoch = row.getLong(1);
            boolean none = row.wasNull();
            Transactions.checkCommitted(s.getWarnings(), c);
            return none ? OptionalLong.empty() : OptionalLong.of(epoch);
        }
    }
}

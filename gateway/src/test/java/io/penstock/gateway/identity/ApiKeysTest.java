package io.penstock.gateway.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.control.AgentKey;
import io.penstock.cluster.control.KeyRing;
import io.penstock.gateway.http.HeaderBlock;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiKeysTest {
    private KeyRing cluster =
            new KeyRing(List.of(new AgentKey("k1", sha256("secret-1"), "acme", "one")));
    private KeyRing file =
            new KeyRing(List.of(new AgentKey("f1", sha256("secret-2"), "acme", "two")));
    private final ApiKeys keys = new ApiKeys(() -> cluster, () -> file);

    static String sha256(String key) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(key.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private Identity identify(String... lines) {
        HeaderBlock headers = new HeaderBlock();
        for (int i = 0; i < lines.length; i += 2) {
            headers.add(lines[i], lines[i + 1]);
        }
        return keys.identify(headers);
    }

    private void unknown(boolean presented, String... lines) {
        Identity identity = identify(lines);
        assertThat(identity).isInstanceOf(Identity.Unknown.class);
        assertThat(((Identity.Unknown) identity).presented()).isEqualTo(presented);
        assertThat(((Identity.Unknown) identity).reason()).doesNotContain("secret");
    }

    @Test
    void identify_knownKey_isItsAgentInEitherHeader() {
        Identity.Agent one = new Identity.Agent("acme", "one");

        assertThat(identify("Authorization", "Bearer secret-1")).isEqualTo(one);
        assertThat(identify("authorization", "bearer secret-1")).isEqualTo(one);
        assertThat(identify("X-API-Key", "secret-1")).isEqualTo(one);
        assertThat(identify("X-API-Key", "secret-1", "Authorization", "Bearer secret-1"))
                .isEqualTo(one);
        assertThat(identify("X-API-Key", "secret-2")).isEqualTo(new Identity.Agent("acme", "two"));
    }

    @Test
    void identify_noCredential_isUnknown() {
        unknown(false);
        unknown(false, "Penstock-Tenant", "acme", "Penstock-Agent", "one");
    }

    @Test
    void identify_wrongOrAmbiguousCredential_isUnknown() {
        unknown(true, "X-API-Key", "secret-3");
        unknown(true, "X-API-Key", "");
        unknown(true, "X-API-Key", "x".repeat(100_000));
        unknown(true, "Authorization", "Bearer ");
        unknown(true, "Authorization", "Basic secret-1");
        unknown(true, "Authorization", "secret-1");
        unknown(true, "Authorization", "Basic x", "X-API-Key", "secret-1");
        unknown(true, "Authorization", "Bearer secret-1", "X-API-Key", "secret-2");
        unknown(true, "X-API-Key", "secret-1", "X-API-Key", "secret-1");
        unknown(true, "Authorization", "Bearer secret-1", "Authorization", "Bearer secret-2");
    }

    @Test
    void identify_revokedInTheCluster_isUnknownEvenIfTheFileHasIt() {
        cluster = new KeyRing(List.of(), List.of(new AgentKey("f1", sha256("x"), "acme", "two")));
        unknown(true, "X-API-Key", "secret-2");

        AgentKey sameKey = new AgentKey("other", sha256("secret-2"), "acme", "two");
        cluster = new KeyRing(List.of(), List.of(sameKey));
        unknown(true, "X-API-Key", "secret-2");
    }

    @Test
    void identify_newRings_countAtOnce() {
        file = KeyRing.EMPTY;

        unknown(true, "X-API-Key", "secret-2");
    }
}

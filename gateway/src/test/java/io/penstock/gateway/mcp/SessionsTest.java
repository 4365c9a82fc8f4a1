package io.penstock.gateway.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.gateway.mcp.Sessions.Owner;
import io.penstock.gateway.mcp.Sessions.Session;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionsTest {
    private static final Owner OWNER = new Owner("acme", "agent", "files");

    private final FakeSealKeys keys = new FakeSealKeys();
    private final Sessions sessions = new Sessions(keys, new SecureRandom());

    private String seal(String upstream) {
        String sealed = sessions.seal(OWNER, upstream);
        assertThat(sealed).isNotNull();
        return String.valueOf(sealed);
    }

    private static Session opened(Sessions by, Owner owner, String sealed) {
        Session session = by.open(owner, sealed);
        if (session == null) {
            throw new AssertionError("did not open");
        }
        return session;
    }

    @Test
    void open_sealedId_givesTheUpstreamsOnAnyReplica() {
        Sessions elsewhere = new Sessions(keys, new SecureRandom());
        String sealed = seal("1868a90c-upstream");

        Session session = opened(elsewhere, OWNER, sealed);

        assertThat(session.upstream()).isEqualTo("1868a90c-upstream");
        assertThat(session.sealed()).isEqualTo(sealed);
        assertThat(session.name()).isEqualTo(opened(sessions, OWNER, sealed).name());
        assertThat(sealed).matches("[A-Za-z0-9_-]+");
    }

    @Test
    void open_everyOtherOwner_doesNotOpen() {
        String sealed = seal("up");

        assertThat(sessions.open(new Owner("other", "agent", "files"), sealed)).isNull();
        assertThat(sessions.open(new Owner("acme", "other", "files"), sealed)).isNull();
        assertThat(sessions.open(new Owner("acme", "agent", "other"), sealed)).isNull();
        // Names that run together would give the same bytes without their lengths.
        assertThat(sessions.open(new Owner("acmeagent", "", "files"), sealed)).isNull();
        assertThat(sessions.open(new Owner("acme", "agentfiles", ""), sealed)).isNull();
    }

    @Test
    void open_anyBitChanged_doesNotOpen() {
        byte[] sealed = Base64.getUrlDecoder().decode(seal("up"));
        for (int bit = 0; bit < sealed.length * 8; bit++) {
            byte[] changed = sealed.clone();
            changed[bit / 8] ^= (byte) (1 << (bit % 8));
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);

            assertThat(sessions.open(OWNER, text)).as("bit %d", bit).isNull();
        }
    }

    @Test
    void open_garbage_doesNotOpen() {
        for (String text :
                new String[] {"", "AQ", "up-1", "=", "AAAA".repeat(20), "x".repeat(10_000), "é"}) {
            assertThat(sessions.open(OWNER, text)).as(text).isNull();
        }
    }

    @Test
    void open_foreignKey_doesNotOpen() {
        FakeSealKeys foreign = new FakeSealKeys();
        foreign.rotate();
        String sealed = String.valueOf(new Sessions(foreign, new SecureRandom()).seal(OWNER, "up"));

        assertThat(sessions.open(OWNER, sealed)).isNull();
    }

    @Test
    void open_afterOneRotation_stillOpens() {
        String sealed = seal("up");

        keys.rotate();
        assertThat(opened(sessions, OWNER, sealed).upstream()).isEqualTo("up");

        keys.rotate();
        assertThat(sessions.open(OWNER, sealed)).isNull();
    }

    @Test
    void seal_sameId_isDifferentEachTime() {
        Set<String> sealed = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            String text = seal("up");
            sealed.add(text);
            names.add(opened(sessions, OWNER, text).name());
        }

        assertThat(sealed).hasSize(100);
        assertThat(names).hasSize(100);
    }

    @Test
    void seal_idThatTheProtocolForbids_isNotPassedOn() {
        assertThat(sessions.seal(OWNER, "")).isNull();
        assertThat(sessions.seal(OWNER, "a b")).isNull();
        assertThat(sessions.seal(OWNER, "é")).isNull();
        assertThat(sessions.seal(OWNER, "x".repeat(Sessions.UPSTREAM_MAX + 1))).isNull();
        String longest = "x".repeat(Sessions.UPSTREAM_MAX);
        assertThat(opened(sessions, OWNER, seal(longest)).upstream()).isEqualTo(longest);
    }

    @Test
    void toString_ofWhatIsSecret_doesNotShowIt() {
        assertThat(SealKey.of(1, new byte[32]).toString()).isEqualTo("SealKey[1]");
        String sealed = seal("upstream-secret");
        assertThat(opened(sessions, OWNER, sealed).toString())
                .doesNotContain("upstream-secret")
                .doesNotContain(sealed);
    }
}

package io.penstock.cluster.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.control.AgentKey;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.store.RevisionStore.Adoption;
import io.penstock.cluster.store.RevisionStore.Applied;
import io.penstock.cluster.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoresIT {
    private final TestDatabase database = TestDatabase.fresh();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void adopt_newCluster_fileBecomesRevisionOne() throws Exception {
        try (Connection gateway = database.connectAsGateway()) {
            Adoption adoption = RevisionStore.adopt(gateway, rules(5), "replica a");

            assertThat(adoption).isInstanceOf(Adoption.First.class);
            assertThat(RevisionStore.current(gateway).orElseThrow().number()).isEqualTo(1);
            assertThat(new PostgresStateLoader().rules(gateway, 1).budgets().all())
                    .isEqualTo(rules(5).budgets().all());
            assertThat(RevisionStore.adopt(gateway, rules(5), "replica b"))
                    .isInstanceOf(Adoption.Same.class);
        }
    }

    @Test
    void adopt_fileOfEarlierRevision_startsWithTheCurrentOne() throws Exception {
        try (Connection gateway = database.connectAsGateway();
                Connection operator = database.connectAsOperator()) {
            RevisionStore.adopt(gateway, rules(5), "replica a");
            RevisionStore.apply(operator, 1, rules(6), "more", "ann");

            assertThat(RevisionStore.adopt(gateway, rules(5), "replica a"))
                    .isInstanceOfSatisfying(
                            Adoption.Earlier.class,
                            earlier -> {
                                assertThat(earlier.equals()).isEqualTo(1);
                                assertThat(earlier.current().number()).isEqualTo(2);
                            });
            assertThat(RevisionStore.adopt(gateway, rules(7), "replica a"))
                    .isInstanceOfSatisfying(
                            Adoption.Foreign.class,
                            foreign -> assertThat(foreign.differences()).hasSize(1));
        }
    }

    @Test
    void apply_twoOperatorsAtOnce_oneWinsAndTheEpochRisesOnce() throws Exception {
        try (Connection gateway = database.connectAsGateway()) {
            RevisionStore.adopt(gateway, rules(5), "replica a");
        }
        long before = epoch();
        CyclicBarrier together = new CyclicBarrier(4);
        List<Applied> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Applied>> operators = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int limit = 10 + i;
                operators.add(
                        threads.submit(
                                () -> {
                                    try (Connection c = database.connectAsOperator()) {
                                        together.await(30, TimeUnit.SECONDS);
                                        return RevisionStore.apply(c, 1, rules(limit), null, "x");
                                    }
                                }));
            }
            for (Future<Applied> operator : operators) {
                answers.add(operator.get(60, TimeUnit.SECONDS));
            }
        }

        assertThat(answers).filteredOn(Applied.Made.class::isInstance).hasSize(1);
        assertThat(answers).filteredOn(Applied.Conflict.class::isInstance).hasSize(3);
        assertThat(epoch()).isEqualTo(before + 1);
    }

    @Test
    void apply_sameAgain_changesNothing() throws Exception {
        try (Connection operator = database.connectAsOperator()) {
            assertThat(RevisionStore.apply(operator, 0, rules(5), "first", "ann"))
                    .isInstanceOf(Applied.Made.class);
            long epoch = epoch();

            assertThat(RevisionStore.apply(operator, 0, rules(5), "first", "ann"))
                    .isEqualTo(new Applied.Unchanged(1, epoch));
            assertThat(epoch()).isEqualTo(epoch);
        }
    }

    @Test
    void rollback_toEarlier_isANewRevisionWithItsRules() throws Exception {
        try (Connection operator = database.connectAsOperator()) {
            RevisionStore.apply(operator, 0, rules(5), "first", "ann");
            RevisionStore.apply(operator, 1, rules(6), "more", "ann");

            Applied applied = RevisionStore.rollback(operator, 2, 1, null, "ann");

            assertThat(applied).isInstanceOf(Applied.Made.class);
            List<RevisionStore.Revision> revisions = RevisionStore.list(operator, 10);
            assertThat(revisions).extracting(r -> r.number()).containsExactly(3L, 2L, 1L);
            assertThat(revisions.getFirst().hash()).isEqualTo(revisions.getLast().hash());
            assertThat(revisions.getFirst().reason()).isEqualTo("rollback to 1");
            assertThat(revisions.getFirst().current()).isTrue();
        }
    }

    @Test
    void apply_leaseOfTheRevision_isTheClusters() throws Exception {
        try (Connection operator = database.connectAsOperator()) {
            Rules slow = new Rules(1, List.of(), Map.of(), Duration.ofSeconds(3));
            RevisionStore.apply(operator, 0, slow, null, "ann");

            assertThat(number(operator, "select lease_ms from penstock.cluster")).isEqualTo(3000);
        }
    }

    @Test
    void add_newKey_onlyItsDigestIsKept() throws Exception {
        KeyStore.NewKey key = KeyStore.NewKey.random(new SecureRandom(), "acme", "bot");
        try (Connection operator = database.connectAsOperator();
                Connection gateway = database.connectAsGateway()) {
            long before = epoch();

            long epoch = KeyStore.add(operator, key, "ann");

            assertThat(epoch).isEqualTo(before + 1);
            assertThat(key.key()).startsWith("pk_").hasSize(46);
            assertThat(key.toString()).doesNotContain(key.key());
            KeyRing ring = new PostgresStateLoader().keys(gateway);
            AgentKey found = ring.find(digest(key.key()));
            assertThat(found).isEqualTo(new AgentKey(key.id(), key.sha256(), "acme", "bot"));
            assertThat(everything()).doesNotContain(key.key());
        }
    }

    @Test
    void revoke_key_isGoneAndRaisesTheEpochEachTime() throws Exception {
        KeyStore.NewKey key = KeyStore.NewKey.random(new SecureRandom(), "acme", "bot");
        try (Connection operator = database.connectAsOperator();
                Connection gateway = database.connectAsGateway()) {
            KeyStore.add(operator, key, "ann");
            long keysBefore = number(gateway, "select keys_version from penstock.cluster");

            long first = KeyStore.revoke(operator, key.id(), "leaked", "ann").orElseThrow();
            long second = KeyStore.revoke(operator, key.id(), "leaked", "bob").orElseThrow();

            assertThat(second).isEqualTo(first + 1);
            assertThat(number(gateway, "select keys_version from penstock.cluster"))
                    .isEqualTo(keysBefore + 2);
            KeyRing after = new PostgresStateLoader().keys(gateway);
            assertThat(after.size()).isZero();
            // A replica's own keys file may still hold the key, under this id or another.
            assertThat(after.revoked(new AgentKey("elsewhere", key.sha256(), "t", "a"))).isTrue();
            assertThat(after.revoked(new AgentKey(key.id(), "0", "t", "a"))).isTrue();
            assertThat(after.revoked(new AgentKey("elsewhere", "0", "t", "a"))).isFalse();
            assertThat(KeyStore.list(operator))
                    .singleElement()
                    .satisfies(
                            listed -> {
                                assertThat(listed.revokedAt()).isNotNull();
                                assertThat(listed.revokedBy()).isEqualTo("ann");
                            });
            assertThat(KeyStore.revoke(operator, "no-such-key", null, "ann")).isEmpty();
        }
    }

    @Test
    void rotate_sealKeys_oldStillOpensAndSealsUntilAllKnowTheNewOne() throws Exception {
        try (Connection operator = database.connectAsOperator();
                Connection gateway = database.connectAsGateway()) {
            long now = 1_000_000_000_000L;
            SealKeyRing before = SealKeyStore.read(gateway, now);
            SealKeyRing.Key old = requireNonNull(before.sealing(now));

            SealKeyStore.rotate(operator, "ann");

            SealKeyRing after = SealKeyStore.read(gateway, now);
            SealKeyRing.Key fresh = requireNonNull(after.find(old.id() + 1));
            assertThat(fresh.secret()).hasSize(32).isNotEqualTo(old.secret());
            assertThat(after.find(old.id())).isNotNull();
            assertThat(requireNonNull(after.sealing(now)).id()).isEqualTo(old.id());
            assertThat(requireNonNull(after.sealing(now + TimeUnit.MINUTES.toNanos(2))).id())
                    .isEqualTo(fresh.id());
        }
    }

    private long epoch() throws Exception {
        try (Connection c = database.connectAsGateway()) {
            return number(c, "select epoch from penstock.cluster");
        }
    }

    private static long number(Connection c, String sql) throws Exception {
        try (Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    private String everything() throws Exception {
        try (Connection c = database.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet row =
                        s.executeQuery(
                                "select (select json_agg(k) from penstock.agent_key k)::text"
                                        + " || (select json_agg(j) from penstock.journal j)")) {
            row.next();
            return row.getString(1);
        }
    }

    private static byte[] digest(String key) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    }

    private static Rules rules(long limit) {
        Budget budget =
                new Budget(
                        "rate",
                        Unit.CALLS,
                        limit,
                        new Window.Fixed(1_000_000),
                        Set.of(),
                        null,
                        null,
                        Mode.ENFORCE);
        return new Rules(0, List.of(budget), Map.of("files", Mode.ENFORCE), Duration.ofSeconds(1));
    }
}

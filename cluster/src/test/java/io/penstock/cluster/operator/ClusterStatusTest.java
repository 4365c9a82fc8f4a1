package io.penstock.cluster.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterStatusTest {
    private static final DatabaseStatus DATABASE =
            new DatabaseStatus("18.4", "primary", Durability.CRASH_SAFE, "op");

    @Test
    void findings_allWell_isEmpty() {
        assertThat(ClusterStatus.findings(List.of(replica("a"), replica("b")), DATABASE, 1))
                .isEmpty();
    }

    @Test
    void findings_noReplicaNoRevisionNoFlush_areNamed() {
        DatabaseStatus unsafe = new DatabaseStatus("18.4", "primary", Durability.NONE, "op");

        assertThat(ClusterStatus.findings(List.of(), unsafe, 0))
                .containsExactly(
                        "no replica is registered",
                        "no configuration revision was applied yet: no replica can admit",
                        "the database does not flush (fsync is off): a crash loses admissions");
    }

    @Test
    void findings_replicaInTrouble_areNamed() {
        ReplicaStatus bad =
                replica("a", "overdue", "hash", Duration.ZERO, Long.valueOf(-1_500_000), true);

        assertThat(ClusterStatus.findings(List.of(bad), DATABASE, 1))
                .containsExactly(
                        "replica a: no beat for 2000 ms, its lease is over",
                        "replica a: NOTIFY does not reach it, it polls: stops take longer",
                        "replica a: its clock is -1500 ms off the database's");
    }

    @Test
    void findings_replicaThatIsGone_isNamedOnceAndComparedWithNobody() {
        ReplicaStatus gone = replica("b", "gone", "other", Duration.ZERO, null, true);

        assertThat(ClusterStatus.findings(List.of(replica("a"), gone), DATABASE, 1))
                .containsExactly("replica b: gone, no beat for 2 s, and no other of its name came");
    }

    @Test
    void findings_configurationsDiffer_areNamed() {
        ReplicaStatus other = replica("b", "open", "other", Duration.ofMillis(700), null, false);

        assertThat(ClusterStatus.findings(List.of(replica("a"), other), DATABASE, 1))
                .singleElement()
                .asString()
                .contains("a=hash")
                .contains("b=other");
    }

    private static ReplicaStatus replica(String name) {
        return replica(name, "open", "hash", Duration.ofMillis(700), 1000L, false);
    }

    private static ReplicaStatus replica(
            String name,
            String state,
            String hash,
            Duration leaseLeft,
            @org.jspecify.annotations.Nullable Long offset,
            boolean degraded) {
        return new ReplicaStatus(
                name,
                new UUID(1, 1),
                state,
                "0.1",
                "data",
                "admin",
                hash,
                5,
                5,
                0,
                leaseLeft,
                Duration.ofSeconds(2),
                0,
                offset,
                degraded,
                List.of());
    }
}

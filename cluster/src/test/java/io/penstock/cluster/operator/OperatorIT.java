package io.penstock.cluster.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cluster.control.Await;
import io.penstock.cluster.control.TestReplica;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OperatorIT {
    private static final Blocks.Agent CRAWLER = new Blocks.Agent("acme", "crawler");
    private static final Blocks.Order ODD = new Blocks.Order("odd", "tester");

    private TestDatabase database;
    private Blocks blocks;

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = TestDatabase.fresh();
        TestReplica.makeRevision(database);
        blocks = new Blocks(new Connector(database.operator()));
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void block_thenUnblock_reachesTheReplica() throws Exception {
        try (TestReplica a = TestReplica.open("a", database)) {
            Instant expires = blocks.block(CRAWLER, Duration.ofHours(1), ODD);
            Await.until("is blocked", () -> !a.admits());
            assertThat(blocks.list())
                    .singleElement()
                    .satisfies(
                            b -> {
                                assertThat(b.agent()).isEqualTo("crawler");
                                assertThat(b.actor()).isEqualTo("tester");
                                assertThat(b.expiresAt()).isEqualTo(expires);
                            });

            assertThat(blocks.unblock(CRAWLER, ODD)).isTrue();
            Await.until("admits again", a::admits);
            assertThat(blocks.unblock(CRAWLER, ODD)).isFalse();
            assertThat(blocks.list()).isEmpty();
        }
    }

    @Test
    void block_ofNoLengthOrTooLong_isRefused() {
        assertThatThrownBy(() -> blocks.block(CRAWLER, Duration.ZERO, ODD))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> blocks.block(CRAWLER, Duration.ofDays(367), ODD))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void status_twoReplicas_showsBothAndIsWell() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database)) {
            Connector operator = new Connector(database.operator());
            Await.until("all is well", () -> !ClusterStatus.read(operator).degraded());

            ClusterStatus status = ClusterStatus.read(operator);

            assertThat(status.replicas())
                    .extracting(ReplicaStatus::replica)
                    .containsExactly("a", "b");
            assertThat(status.replicas()).extracting(ReplicaStatus::state).containsOnly("open");
            assertThat(status.epoch()).isEqualTo(a.epoch()).isEqualTo(b.epoch());
            assertThat(status.revision()).isEqualTo(1);
            assertThat(status.lease()).isEqualTo(Duration.ofSeconds(1));
            assertThat(status.database().role()).isEqualTo("primary");
            assertThat(status.database().durability()).isEqualTo(Durability.CRASH_SAFE);
        }
    }
}

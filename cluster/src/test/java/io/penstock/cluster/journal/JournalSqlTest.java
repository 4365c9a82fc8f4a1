package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JournalSqlTest {
    @Test
    void storable_ordinaryText_isKept() {
        assertThat(JournalSql.storable("agent/ü \uD83D\uDE00")).isEqualTo("agent/ü \uD83D\uDE00");
        assertThat(JournalSql.storable(null)).isNull();
    }

    @Test
    void storable_whatPostgresRefuses_isReplaced() {
        assertThat(JournalSql.storable("a\u0000b")).isEqualTo("a\uFFFDb");
        assertThat(JournalSql.storable("a\uD83D")).isEqualTo("a\uFFFD");
        assertThat(JournalSql.storable("\uDE00a")).isEqualTo("\uFFFDa");
    }

    @Test
    void storable_longText_isCut() {
        assertThat(JournalSql.storable("x".repeat(5_000))).hasSize(1_000);
    }
}

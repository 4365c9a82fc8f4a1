package io.penstock.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DatabaseConfigTest {
    @Test
    void toString_secrets_areNotShown() {
        DatabaseConfig config =
                new DatabaseConfig(
                        "jdbc:postgresql://db/penstock?password=from-url", "ann", "from-file", 8);

        assertThat(config.toString()).doesNotContain("from-url").doesNotContain("from-file");
        assertThat(config.address()).isEqualTo("jdbc:postgresql://db/penstock");
    }

    @Test
    void new_badValues_areRefused() {
        assertThatThrownBy(() -> new DatabaseConfig("postgres://db/x", "u", null, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:postgresql:");
        assertThatThrownBy(() -> new DatabaseConfig("jdbc:postgresql://db/x", "u", null, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pool size");
    }
}

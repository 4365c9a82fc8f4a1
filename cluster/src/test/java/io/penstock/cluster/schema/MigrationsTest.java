package io.penstock.cluster.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MigrationsTest {
    @Test
    void latest_isTheHighestFileOnTheClassPath() {
        ClassLoader loader = Migrations.class.getClassLoader();
        String folder = "io/penstock/cluster/schema/";
        assertThat(loader.getResource(folder + "V5__keys_revisions.sql")).isNotNull();
        assertThat(Migrations.LATEST).isEqualTo(5);
    }

    @Test
    void compare_versions_giveTheStates() {
        assertThat(Migrations.compare(5, 1, 5)).isEqualTo(new SchemaState.Current(5));
        assertThat(Migrations.compare(4, 1, 5)).isEqualTo(new SchemaState.Older(4, 5));
        assertThat(Migrations.compare(6, 5, 5)).isEqualTo(new SchemaState.Newer(6, 5, true));
        assertThat(Migrations.compare(6, 6, 5)).isEqualTo(new SchemaState.Newer(6, 5, false));
    }

    @Test
    void usable_states_failClosed() {
        assertThat(new SchemaState.Absent(5).usable()).isFalse();
        assertThat(new SchemaState.Older(4, 5).usable()).isFalse();
        assertThat(new SchemaState.Current(5).usable()).isTrue();
        assertThat(new SchemaState.Newer(6, 5, true).usable()).isTrue();
        assertThat(new SchemaState.Newer(6, 5, false).usable()).isFalse();
    }
}

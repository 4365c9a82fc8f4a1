package io.penstock.cluster.schema;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MigrationsTest {
    /** Looks at the sources: a class path cannot be listed. */
    @Test
    void latest_isTheHighestFile() throws Exception {
        Path folder = Path.of("src/main/resources/io/penstock/cluster/schema");
        try (Stream<Path> files = Files.list(folder)) {
            int highest =
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.startsWith("V"))
                            .mapToInt(
                                    name -> Integer.parseInt(name.substring(1, name.indexOf('_'))))
                            .max()
                            .orElseThrow();
            assertThat(Migrations.LATEST).isEqualTo(highest);
        }
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

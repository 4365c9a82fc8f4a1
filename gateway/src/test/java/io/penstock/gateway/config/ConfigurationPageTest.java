package io.penstock.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The reference page is made from the table that the reader works by. After a change of the table:
 * {@code ./mvnw -pl gateway -am test -Dtest=ConfigurationPageTest -Dpenstock.golden=write
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
final class ConfigurationPageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference", "configuration.md");

    private static final String INTRODUCTION =
            """
            # Configuration

            One YAML file for one replica: `penstock serve --config FILE`. `penstock check --config FILE` says what is
            wrong with it, all at once, each with line and column; the same stops a start. `penstock check --config FILE
            --effective` shows every key with the value that holds.

            - Durations: `250ms`, `1s`, `5m`, `24h`, `30d`. Sizes: `32KiB`, `4MiB`.
            - Unknown keys, keys that are there twice, tags, anchors and aliases are refused.
            - `${ENV:NAME}` puts an environment variable into a value; one that is not set is an error. Values put in so,
              and secrets, are never printed.
            - Relative paths start at the configuration file's folder.
            - *Cluster-wide* keys are part of the cluster's revision: the file's are revision 1 of a new cluster, and
              `penstock apply` makes the next ones.

            """;

    @Test
    void page_andTable_sayTheSame() throws IOException {
        String expected = INTRODUCTION + table();
        if ("write".equals(System.getProperty("penstock.golden"))) {
            Files.writeString(PAGE, expected);
        }

        assertThat(PAGE).hasContent(expected);
    }

    private static String table() {
        StringBuilder page =
                new StringBuilder("| Key | Value | Default | Meaning |\n|---|---|---|---|\n");
        for (ConfigKey key : ConfigKeys.all()) {
            String fallback = key.fallback().isEmpty() ? "" : "`" + key.fallback() + "`";
            page.append(
                    "| `%s` | %s | %s | %s |\n"
                            .formatted(
                                    key.path(),
                                    key.type().describe().replace("|", "\\|"),
                                    fallback,
                                    key.meaning().replace("|", "\\|")));
        }
        return page.toString();
    }
}

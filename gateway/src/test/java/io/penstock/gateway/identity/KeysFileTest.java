package io.penstock.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.cluster.control.AgentKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeysFileTest {
    private static final String DIGEST = ApiKeysTest.sha256("secret");
    private static final String GOOD =
            "# agents\n- { id: k1, sha256: " + DIGEST + ", tenant: acme, agent: \"my agent\" }\n";

    @TempDir Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("keys.yaml"), text);
    }

    private static boolean holds(KeysFile file, String key) {
        return file.keys().find(HexFormat.of().parseHex(ApiKeysTest.sha256(key))) != null;
    }

    @Test
    void read_goodList_isItsKeys() {
        assertThat(KeysYaml.read(GOOD))
                .isEqualTo(List.of(new AgentKey("k1", DIGEST, "acme", "my agent")));
        assertThat(KeysYaml.read("")).isEmpty();
        assertThat(KeysYaml.read("[]")).isEmpty();
    }

    @Test
    void read_digestOfDigits_staysText() {
        String digits = "0".repeat(63) + "1";

        assertThat(KeysYaml.read(GOOD.replace(DIGEST, digits)).getFirst().sha256())
                .isEqualTo(digits);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "agent: \"my agent\" | agent: ''",
                "agent: \"my agent\" | x: 1",
                "agent: \"my agent\" | agent: a, more: b",
                "agent: \"my agent\" | agent: a, agent: b",
                "agent: \"my agent\" | agent: [a]",
                "tenant: acme | tenant: a/b",
                "id: k1 | id: ''",
                "DIGEST | abc",
                "DIGEST | gggg",
                "# agents | - 5"
            })
    void read_fault_namesItsLine(String part, String instead) {
        String text = GOOD.replace(part.replace("DIGEST", DIGEST), instead);

        assertThatExceptionOfType(KeysFileException.class)
                .isThrownBy(() -> KeysYaml.read(text))
                .withMessageContaining("line ");
    }

    @Test
    void read_notAListOrNotYaml_isAFault() {
        for (String text : new String[] {"id: k1", "[", "- &a { id: 1 }\n- *a", GOOD + GOOD}) {
            assertThatExceptionOfType(KeysFileException.class)
                    .isThrownBy(() -> KeysYaml.read(text));
        }
    }

    @Test
    void refresh_changedFile_isRead() throws IOException {
        KeysFile file = new KeysFile(write(GOOD), KeysFile.PERIOD);
        assertThat(holds(file, "secret")).isTrue();

        write(GOOD.replace(DIGEST, ApiKeysTest.sha256("other")));
        file.refresh();

        assertThat(holds(file, "other")).isTrue();
        assertThat(holds(file, "secret")).isFalse();
    }

    @Test
    void refresh_badOrMissingFile_keepsTheKeysUntilItIsGoodAgain() throws IOException {
        KeysFile file = new KeysFile(write(GOOD), KeysFile.PERIOD);

        write("- nonsense");
        file.refresh();
        assertThat(holds(file, "secret")).isTrue();

        Files.delete(folder.resolve("keys.yaml"));
        file.refresh();
        assertThat(holds(file, "secret")).isTrue();

        write("[]");
        file.refresh();
        assertThat(holds(file, "secret")).isFalse();
    }

    @Test
    void start_changedFile_isReadByItself() throws Exception {
        try (KeysFile file = new KeysFile(write(GOOD), Duration.ofMillis(5))) {
            file.start();
            write("[]");
            long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (holds(file, "secret") && System.nanoTime() < deadline) {
                Thread.sleep(5);
            }
            assertThat(holds(file, "secret")).isFalse();
        }
    }

    @Test
    void open_missingOrBadFile_isThrown() {
        assertThatExceptionOfType(KeysFileException.class)
                .isThrownBy(() -> new KeysFile(folder.resolve("none"), KeysFile.PERIOD));
        assertThatExceptionOfType(KeysFileException.class)
                .isThrownBy(() -> new KeysFile(write("- 1"), KeysFile.PERIOD));
    }
}

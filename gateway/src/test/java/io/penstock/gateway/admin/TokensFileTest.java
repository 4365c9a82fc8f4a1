package io.penstock.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tokens count, and what happens when their file changes. */
final class TokensFileTest {
    private static final String DIGEST = HexFormat.of().formatHex(AdminToken.digest("the-token"));

    @TempDir Path directory;
    private Path file;
    private final AtomicLong now = new AtomicLong();

    @BeforeEach
    void place() {
        file = directory.resolve("tokens");
    }

    private TokensFile tokens(String text) throws IOException {
        Files.writeString(file, text);
        return new TokensFile(file, now::get);
    }

    private static String entry(String id, String role) {
        return "- { id: " + id + ", sha256: " + DIGEST + ", role: " + role + " }\n";
    }

    @Test
    void find_knownToken_hasItsRole() throws IOException {
        AdminToken found = tokens(entry("a", "operate")).find("the-token");

        assertThat(found)
                .isNotNull()
                .hasToString("AdminToken[a operate]")
                .extracting(AdminToken::id, AdminToken::role)
                .containsExactly("a", Role.OPERATE);
    }

    @Test
    void find_anythingElse_isNobody() throws IOException {
        TokensFile tokens = tokens(entry("a", "stop"));

        assertThat(tokens.find("The-token")).isNull();
        assertThat(tokens.find("")).isNull();
        assertThat(tokens.find(DIGEST)).isNull();
    }

    @Test
    void read_json_works() throws IOException {
        String json =
                "[{\"id\": \"a\", \"sha256\": \""
                        + DIGEST.toUpperCase()
                        + "\", \"role\": \"view\"}]";

        assertThat(tokens(json).find("the-token")).isNotNull();
    }

    @Test
    void read_emptyFile_isNobody() throws IOException {
        assertThat(tokens("").find("the-token")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: b",
                "- x",
                "- { id: a, sha256: the-token, role: view }",
                "- { id: a, token: the-token, role: view }",
                "- { id: a, sha256: DIGEST, role: admin }",
                "- { id: a, sha256: DIGEST, role: Stop }",
                "- { id: a, sha256: DIGEST }",
                "- { id: a b, sha256: DIGEST, role: view }",
                "- { id: a, sha256: DIGEST, role: view, role: stop }",
                "- { id: a, sha256: DIGEST, role: view }\n- { id: b, sha256: DIGEST, role: stop }",
                "- { id: a, sha256: &x DIGEST, role: view }\n- { id: a, sha256: the-token }",
                "- { id: a, sha256: [the-token], role: view }",
                "- [ the-token"
            })
    void read_fault_stopsTheStartAndShowsNoToken(String text) {
        assertThatThrownBy(() -> tokens(text.replace("DIGEST", DIGEST)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tokens")
                .hasMessageNotContaining("the-token")
                .hasMessageNotContaining(DIGEST);
    }

    @Test
    void change_isSeenAfterFiveSecondsAndNotBefore() throws IOException {
        TokensFile tokens = tokens(entry("a", "view"));
        Files.writeString(file, entry("b", "stop"));
        now.set(TokensFile.FRESH_NANOS - 1);
        assertThat(tokens.find("the-token")).extracting(AdminToken::id).isEqualTo("a");

        now.set(TokensFile.FRESH_NANOS);

        assertThat(tokens.find("the-token")).extracting(AdminToken::id).isEqualTo("b");
    }

    @Test
    void change_fault_keepsTheFormerTokens() throws IOException {
        TokensFile tokens = tokens(entry("a", "stop"));
        Files.writeString(file, "- { id: a, sha2");
        now.set(TokensFile.FRESH_NANOS);
        assertThat(tokens.find("the-token")).isNotNull();

        Files.writeString(file, "");
        now.set(2 * TokensFile.FRESH_NANOS);

        assertThat(tokens.find("the-token")).isNull();
    }

    @Test
    void change_gone_isNobodyUntilItIsBack() throws IOException {
        TokensFile tokens = tokens(entry("a", "stop"));
        Files.delete(file);
        now.set(TokensFile.FRESH_NANOS);
        assertThat(tokens.find("the-token")).isNull();

        Files.writeString(file, entry("a", "stop"));
        now.set(2 * TokensFile.FRESH_NANOS);

        assertThat(tokens.find("the-token")).isNotNull();
    }
}

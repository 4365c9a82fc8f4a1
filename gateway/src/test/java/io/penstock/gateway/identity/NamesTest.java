package io.penstock.gateway.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "A-b_c.9", "..", "-"})
    void plain_ofTheAlphabet_isAName(String name) {
        assertThat(Names.plain(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "é", "a\u0000", "a\n", "\u212a"})
    void plain_anythingElse_isNone(String name) {
        assertThat(Names.plain(name)).isFalse();
    }

    @Test
    void plain_128Characters_isTheLongest() {
        assertThat(Names.plain("x".repeat(128))).isTrue();
        assertThat(Names.plain("x".repeat(129))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "read file", "a/b", "é", "ツール", "😀", "a\"b\\c", "user@example.org"})
    void printable_text_isAName(String name) {
        assertThat(Names.printable(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                " a",
                "a ",
                "a\u00a0",
                "\u3000a",
                "a\tb",
                "a\u0000b",
                "a\u007fb",
                "a\u0085b",
                "a\u200bb",
                "a\u202eb",
                "a\u2028b",
                "a\u2029b",
                "\ufeffa",
                "a\ud800",
                "\udc00a"
            })
    void printable_whatCannotBeSeen_isNone(String name) {
        assertThat(Names.printable(name)).isFalse();
    }

    @Test
    void printable_256BytesOfUtf8_isTheLongest() {
        assertThat(Names.printable("é".repeat(128))).isTrue();
        assertThat(Names.printable("é".repeat(128) + "x")).isFalse();
        assertThat(Names.printable("😀".repeat(64))).isTrue();
        assertThat(Names.printable("ツ".repeat(86))).isFalse();
    }
}

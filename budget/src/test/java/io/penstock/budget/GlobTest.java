package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GlobTest {

    @SuppressWarnings("NullAway") // a pattern is there, so a glob is
    private static boolean matches(String pattern, String text) {
        return Glob.of(pattern).matches(text);
    }

    @ParameterizedTest
    @CsvSource({
        "read_*, read_file, true",
        "read_*, read_, true",
        "read_*, write_file, false",
        "*, anything, true",
        "*file, read_file, true",
        "*file, read_files, false",
        "a*b*c, a--b--c, true",
        "a*b*c, a--c--b, false",
        "a**c, abc, true",
        "exact, exact, true",
        "exact, exactly, false",
        "a.c, abc, false"
    })
    void matches_starsStandForAnything(String pattern, String text, boolean expected) {
        assertThat(matches(pattern, text)).isEqualTo(expected);
    }

    @Test
    void matches_emptyText_onlyByStarsOrNothing() {
        assertThat(matches("", "")).isTrue();
        assertThat(matches("**", "")).isTrue();
        assertThat(matches("a*", "")).isFalse();
    }

    @Test
    void matches_randomPatterns_agreeWithRegularExpressions() {
        SplittableRandom random = new SplittableRandom(20_261_201);
        for (int i = 0; i < 20_000; i++) {
            String pattern = word(random, "ab*");
            String text = word(random, "ab");
            boolean expected = Pattern.matches(pattern.replace("*", ".*"), text);
            assertThat(matches(pattern, text)).as(pattern + " on " + text).isEqualTo(expected);
        }
    }

    private static String word(SplittableRandom random, String letters) {
        StringBuilder word = new StringBuilder();
        int length = random.nextInt(8);
        for (int i = 0; i < length; i++) {
            word.append(letters.charAt(random.nextInt(letters.length())));
        }
        return word.toString();
    }
}

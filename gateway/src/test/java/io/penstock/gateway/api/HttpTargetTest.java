package io.penstock.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTargetTest {

    private static HttpTarget inside(String target) {
        return switch (HttpTarget.parse(target)) {
            case HttpTarget.Inside inside -> inside.target();
            case HttpTarget.Outside outside ->
                    throw new AssertionError(target + ": " + outside.reason());
        };
    }

    @ParameterizedTest
    @CsvSource({
        "/http/api, '', ''",
        "/http/api/, /, ''",
        "/http/api/a/b, /a/b, ''",
        "/http/api/a/b/, /a/b/, ''",
        "/http/api?x=1, '', ?x=1",
        "/http/api/a?, /a, ?",
        "/http/api/a?q=../..//%2e%2e/, /a, ?q=../..//%2e%2e/",
        "/http/api/a%20b, /a%20b, ''",
        "/http/api/100%25, /100%25, ''",
        "/http/api/a.b/.well-known/..x/x.., /a.b/.well-known/..x/x.., ''",
        "/http/api/a;v=1/b;w, /a;v=1/b;w, ''",
        "/http/api/%C3%A9%F0%9F%98%80, /%C3%A9%F0%9F%98%80, ''",
        "/http/api/~a!$&'()*+=:@, /~a!$&'()*+=:@, ''",
        "/http/api/a%3Fb%23c, /a%3Fb%23c, ''"
    })
    void parse_targetBelowTheBase_isKeptAsSent(String target, String path, String query) {
        HttpTarget parsed = inside(target);

        assertThat(parsed.server()).isEqualTo("api");
        assertThat(parsed.path()).isEqualTo(path);
        assertThat(parsed.query()).isEqualTo(query);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/..",
                "/../",
                "/../x",
                "/a/../../x",
                "/a/..",
                "/.",
                "/./a",
                "/a/.",
                "//",
                "//a",
                "/a//b",
                "/a//",
                "/%2e%2e/x",
                "/%2E%2E/x",
                "/.%2e/x",
                "/%2e./x",
                "/%2e",
                "/a%2fb",
                "/a%2F..%2Fb",
                "/..%2fx",
                "/a%5cb",
                "/..%5C..%5Cx",
                "/a\\b",
                "/..\\x",
                "/%252e%252e/x",
                "/%252e%252e%252fx",
                "/%25252e%25252e/x",
                "/a%255cb",
                "/a%252fb",
                "/%25%32%65%25%32%65/x",
                "/%2525252525252525252e/x",
                "/..;/x",
                "/..;a=b/x",
                "/.;/x",
                "/;/x",
                "/;x/y",
                "/a/;b",
                "/%2e%2e;x/y",
                "/..%3bx/y",
                "/..%3fx/y",
                "/..%23x/y",
                "/a%00b",
                "/..%00/x",
                "/%2500",
                "/a%09b",
                "/.%09./x",
                "/a%0d%0ab",
                "/a%7f",
                "/..%20/x",
                "/%20../x",
                "/%20/x",
                "/.../x",
                "/%c0%ae%c0%ae/x",
                "/%e0%80%ae/x",
                "/%c0%af",
                "/%f0%80%80%af",
                "/%ed%a0%80",
                "/%ff",
                "/%e9",
                "/%ef%bc%8e%ef%bc%8e/x",
                "/%ef%bc%8fx",
                "/%ef%bc%bcx",
                "/%e2%80%a5/x",
                "/%ef%bc%852e/x",
                "/%u002e%u002e/x",
                "/%",
                "/%2",
                "/%zz",
                "/%2g",
                "/a b",
                "/a\tb",
                "/a\u0000b",
                "/a#b",
                "#b",
                "/é",
                "/a?x=é",
                "/a?x=a b",
                "/a?x#y",
                "/a?x=\\"
            })
    void parse_targetThatSomeReaderTakesOutside_isRefused(String rest) {
        assertThat(HttpTarget.parse("/http/api" + rest)).isInstanceOf(HttpTarget.Outside.class);
    }

    @Test
    void parse_segments_areReadToTheEnd() {
        assertThat(inside("/http/api/%75sers/a%2541;v=1/%C3%A9/").segments())
                .isEqualTo(List.of("users", "aA", "é"));
    }

    /**
     * Puts random pieces together and resolves what is accepted as a naive server would, decoding
     * once, twice and three times, before and after it cuts parameters off.
     */
    @Test
    void parse_acceptedTargets_stayInsideInEveryReading() {
        String[] pieces = {
            "/",
            "/",
            "/",
            ".",
            "..",
            "%2e",
            "%2E",
            "%252e",
            "%2f",
            "%5c",
            ";",
            ";x",
            "a",
            "b.c",
            "%25",
            "%32%65",
            "%3b",
            "%c0%ae",
            "%20",
            "2e",
            "%00",
            "%ef%bc%8e"
        };
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int accepted = 0;
        for (int round = 0; round < 200_000; round++) {
            StringBuilder path = new StringBuilder("/");
            for (int i = random.nextInt(8); i >= 0; i--) {
                path.append(pieces[random.nextInt(pieces.length)]);
            }
            if (HttpTarget.parse("/http/api" + path) instanceof HttpTarget.Inside) {
                accepted++;
                String reading = path.toString();
                for (int stage = 0; stage < 4; stage++) {
                    assertThat(leaves(reading)).as("seed %d: %s", seed, path).isFalse();
                    assertThat(leaves(reading.replaceAll(";[^/]*", "")))
                            .as("seed %d: %s", seed, path)
                            .isFalse();
                    reading = decodedOnce(reading);
                }
            }
        }
        assertThat(accepted).isGreaterThan(1_000);
    }

    private static String decodedOnce(String path) {
        try {
            return URLDecoder.decode(path.replace("+", "%2b"), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException e) {
            return path;
        }
    }

    private static boolean leaves(String path) {
        int depth = 0;
        for (String segment : path.replace('\\', '/').substring(1).split("/", -1)) {
            if (segment.equals("..")) {
                depth--;
            } else if (!segment.equals(".") && !segment.isEmpty()) {
                depth++;
            }
            if (depth < 0) {
                return true;
            }
        }
        return path.contains("//") || path.indexOf(0) >= 0;
    }
}

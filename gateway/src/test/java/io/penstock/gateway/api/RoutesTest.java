package io.penstock.gateway.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutesTest {
    private final Routes routes =
            new Routes(
                    List.of(
                            "GET /users/{id}",
                            "GET /users/me",
                            "DELETE /users/{id}/keys/{key}",
                            "GET /"));

    private String tool(String method, String path) {
        return switch (HttpTarget.parse("/http/api" + path)) {
            case HttpTarget.Inside inside -> routes.tool(method, inside.target());
            case HttpTarget.Outside outside -> throw new AssertionError(outside.reason());
        };
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /users/5, GET /users/{id}",
        "GET, /users/me, GET /users/me",
        "GET, /users/5/, GET /users/{id}",
        "GET, /users/5?x=1, GET /users/{id}",
        "DELETE, /users/5/keys/6, DELETE /users/{id}/keys/{key}",
        "GET, /, GET /",
        "GET, '', GET /",
        "POST, /users/5, POST /*",
        "GET, /users, GET /*",
        "GET, /users/5/6, GET /*",
        "HEAD, /users/5, GET /users/{id}",
        "HEAD, /other, HEAD /*"
    })
    void tool_path_isNamedByItsTemplate(String method, String path, String tool) {
        assertThat(tool(method, path)).isEqualTo(tool);
    }

    @ParameterizedTest
    @CsvSource({
        "/%75sers/5",
        "/Users/5",
        "/%2555SERS/5",
        "/users;v=1/5",
        "/users/%6de",
        "/users/ME;x",
        "/users%20/5",
        "/users./5",
        "/%20users%2520/5"
    })
    void tool_otherSpellingOfThePath_isTheSameTool(String path) {
        assertThat(tool("GET", path)).startsWith("GET /users/");
    }

    @Test
    void routes_templateOfAnotherForm_isRefused() {
        for (String template : new String[] {"GET", "/users", "GET users", " /users"}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new Routes(List.of(template)));
        }
    }
}

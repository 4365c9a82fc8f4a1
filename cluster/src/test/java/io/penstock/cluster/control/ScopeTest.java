package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScopeTest {

    static List<Scope> scopes() {
        return List.of(
                new Scope.All(),
                new Scope.Tenant("acme"),
                new Scope.Agent("acme", "team/crawler"),
                new Scope.Server("files"),
                new Scope.Tool("files", "GET /users/{id}"));
    }

    @ParameterizedTest
    @MethodSource("scopes")
    void read_whatWasWritten_isTheSame(Scope scope) {
        assertThat(Scope.read(scope.kind(), scope.value())).isEqualTo(scope);
        assertThat(Scope.parse(scope.kind(), scope.value())).isEqualTo(scope);
    }

    @ParameterizedTest
    @CsvSource({
        "all, x",
        "tenant,",
        "agent, acme",
        "agent, /crawler",
        "agent, acme/",
        "server,",
        "tool,",
        "session, s"
    })
    void parse_malformed_isRefused(String kind, String value) {
        assertThatThrownBy(() -> Scope.parse(kind, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(kind);
    }

    @ParameterizedTest
    @CsvSource({"all, x", "tenant,", "agent, acme", "tool, files/", "session, s"})
    void read_malformed_matchesEverything(String kind, String value) {
        assertThat(Scope.read(kind, value)).isInstanceOf(Scope.Unknown.class);
        assertThat(Scope.read(kind, value).matches(TestReplica.SUBJECT)).isTrue();
    }

    @Test
    void read_valueTooLong_matchesEverything() {
        assertThat(Scope.read("tenant", "x".repeat(513))).isInstanceOf(Scope.Unknown.class);
        assertThat(Scope.read("tenant", "x".repeat(512)))
                .isEqualTo(new Scope.Tenant("x".repeat(512)));
    }

    @Test
    void text_isForPeople() {
        assertThat(new Scope.All().text()).isEqualTo("all");
        assertThat(new Scope.Agent("acme", "crawler").text()).isEqualTo("agent acme/crawler");
    }
}

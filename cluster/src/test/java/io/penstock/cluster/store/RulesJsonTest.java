package io.penstock.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.budget.Budget;
import io.penstock.budget.Dimension;
import io.penstock.budget.Mode;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.control.Rules;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RulesJsonTest {
    private static final Budget RATE =
            new Budget(
                    "rate",
                    Unit.CALLS,
                    100,
                    new Window.Fixed(1_000_000),
                    Set.of(Dimension.AGENT, Dimension.TENANT),
                    null,
                    null,
                    Mode.ENFORCE);
    private static final Budget READS =
            new Budget(
                    "reads",
                    Unit.CALLS,
                    7,
                    new Window.Fixed(86_400_000_000L),
                    Set.of(),
                    "files",
                    "read_*",
                    Mode.SHADOW);

    @Test
    void encode_sameRulesInAnotherOrder_sameBytes() {
        Map<String, Mode> one = new LinkedHashMap<>();
        one.put("files", Mode.ENFORCE);
        one.put("api", Mode.OFF);
        Map<String, Mode> other = new LinkedHashMap<>();
        other.put("api", Mode.OFF);
        other.put("files", Mode.ENFORCE);

        String first = RulesJson.encode(rules(1, List.of(RATE, READS), one));
        String second = RulesJson.encode(rules(9, List.of(READS, RATE), other));

        assertThat(first).isEqualTo(second);
    }

    /** A wire format: what is stored must be read by later versions. */
    @Test
    void encode_document_isAsPublished() {
        assertThat(RulesJson.encode(rules(1, List.of(READS), Map.of("files", Mode.ENFORCE))))
                .isEqualTo(
                        "{\"budgets\":[{\"limit\":7,\"mode\":\"shadow\",\"name\":\"reads\","
                                + "\"per\":[],\"server\":\"files\",\"tool\":\"read_*\","
                                + "\"unit\":\"calls\",\"window\":{\"fixedMicros\":86400000000}}],"
                                + "\"format\":1,\"leaseMillis\":1000,"
                                + "\"servers\":{\"files\":\"enforce\"}}");
    }

    @Test
    void decode_ofEncoded_isTheSameRules() {
        Rules rules = rules(3, List.of(RATE, READS), Map.of("files", Mode.SHADOW));

        Rules read = RulesJson.decode(3, RulesJson.encode(rules));

        assertThat(read.revision()).isEqualTo(3);
        assertThat(read.budgets().all()).isEqualTo(rules.budgets().all());
        assertThat(read.servers()).isEqualTo(rules.servers());
        assertThat(read.lease()).isEqualTo(rules.lease());
    }

    @Test
    void decode_fieldOfLaterVersion_isRefused() {
        String document = RulesJson.encode(rules(1, List.of(RATE), Map.of()));

        refused(document.replace("{\"budgets\"", "{\"prices\":[],\"budgets\""), "prices");
        refused(document.replace("\"limit\":100", "\"limit\":100,\"burst\":5"), "burst");
        refused(document.replace("\"fixedMicros\":1000000", "\"calendar\":\"day\""), "calendar");
        refused(document.replace("\"calls\"", "\"tokens\""), "tokens");
        refused(document.replace("\"format\":1", "\"format\":2"), "format 2");
    }

    @Test
    void decode_damagedDocument_isRefused() {
        String document = RulesJson.encode(rules(1, List.of(RATE), Map.of()));

        refused(document.replace("\"limit\":100,", ""), "limit");
        refused(document.replace("\"limit\":100", "\"limit\":1.5"), "limit");
        refused(document.replace("\"limit\":100", "\"limit\":100,\"limit\":1"), "Duplicate");
        refused(document + "{}", "revision 1");
        refused("[]", "object");
    }

    @Test
    void between_changes_areNamed() {
        Rules from = rules(1, List.of(RATE), Map.of("files", Mode.ENFORCE));
        Rules to =
                new Rules(2, List.of(READS), Map.of("files", Mode.SHADOW), Duration.ofSeconds(2));

        assertThat(RulesDifference.between(from, to))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("- budget rate: 100 calls per "),
                        line -> assertThat(line).startsWith("+ budget reads"),
                        line -> assertThat(line).isEqualTo("~ server files: enforce -> shadow"),
                        line -> assertThat(line).isEqualTo("~ lease: 1000ms -> 2000ms"));
        assertThat(RulesDifference.between(from, from)).isEmpty();
    }

    private static void refused(String document, String saying) {
        assertThatThrownBy(() -> RulesJson.decode(1, document))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(saying);
    }

    private static Rules rules(long revision, List<Budget> budgets, Map<String, Mode> servers) {
        return new Rules(revision, budgets, servers, Duration.ofSeconds(1));
    }
}

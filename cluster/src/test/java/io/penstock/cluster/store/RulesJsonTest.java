package io.penstock.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetSet;
import io.penstock.budget.Dimension;
import io.penstock.budget.LimitOverride;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.PriceList;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unit;
import io.penstock.budget.Unpriced;
import io.penstock.budget.Window;
import io.penstock.cluster.control.Rules;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
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
    void decode_everyKind_readsWhatWasWritten() {
        List<Window> windows =
                List.of(
                        new Window.Fixed(60_000_000),
                        new Window.Calendar(Window.Calendar.Span.WEEK, ZoneId.of("Europe/Berlin")),
                        new Window.Sliding(1_000_000),
                        new Window.Rate(1_000_000, 20),
                        new Window.Lifetime(),
                        new Window.Session(1_800_000_000));
        List<Budget> budgets = new ArrayList<>();
        for (Unit unit : Unit.values()) {
            for (Window window : unit == Unit.CONCURRENCY ? List.of(new Window.Open()) : windows) {
                budgets.add(
                        new Budget(
                                "b" + budgets.size(),
                                unit,
                                budgets.size(),
                                window,
                                Set.of(Dimension.TENANT),
                                null,
                                "x*",
                                Mode.values()[budgets.size() % 4],
                                Reserve.values()[budgets.size() % 2],
                                Unpriced.values()[budgets.size() / 2 % 2],
                                List.of(new LimitOverride("acme", "bob", null, "t", 1L << 62)),
                                List.of(80, 95)));
            }
        }
        List<Price> prices =
                List.of(
                        new Price("a*", null, Unit.COST, new Price.Known(400)),
                        new Price(null, "t", Unit.BYTES, measured(new Price.BodyBytes())),
                        new Price(null, null, Unit.TOKENS, measured(new Price.ResultPointer("/u"))),
                        new Price(
                                null,
                                null,
                                Unit.TOKENS,
                                measured(new Price.ResponseHeader("X-Cost"))));
        Rules rules =
                new Rules(
                        3,
                        new BudgetSet(budgets, new PriceList(prices)),
                        Map.of(),
                        Duration.ofSeconds(1));

        Rules read = RulesJson.decode(3, RulesJson.encode(rules));

        assertThat(read.budgets().all()).containsExactlyInAnyOrderElementsOf(budgets);
        assertThat(read.budgets().prices()).isEqualTo(rules.budgets().prices());
    }

    private static Price.Measured measured(Price.Source source) {
        return new Price.Measured(8_000, source, 3);
    }

    @Test
    void decode_fieldOfLaterVersion_isRefused() {
        String document = RulesJson.encode(rules(1, List.of(RATE), Map.of()));

        refused(document.replace("{\"budgets\"", "{\"policies\":[],\"budgets\""), "policies");
        refused(document.replace("\"limit\":100", "\"limit\":100,\"burst\":5"), "burst");
        refused(document.replace("\"fixedMicros\":1000000", "\"lunar\":\"day\""), "lunar");
        refused(document.replace("\"calls\"", "\"smiles\""), "smiles");
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

    @Test
    void between_budgetChanges_saysWhatBecomesOfItsCounters() {
        Budget more =
                new Budget(
                        "rate",
                        RATE.unit(),
                        200,
                        RATE.window(),
                        RATE.per(),
                        null,
                        null,
                        RATE.mode());
        Budget other =
                new Budget(
                        "rate",
                        RATE.unit(),
                        100,
                        new Window.Sliding(1_000_000),
                        RATE.per(),
                        null,
                        null,
                        RATE.mode());

        assertThat(between(RATE, more)).endsWith("keeps what was used");
        assertThat(between(RATE, other)).contains("starts over");
    }

    private static String between(Budget from, Budget to) {
        List<String> lines =
                RulesDifference.between(
                        rules(1, List.of(from), Map.of()), rules(2, List.of(to), Map.of()));
        assertThat(lines).hasSize(1);
        return lines.getFirst();
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

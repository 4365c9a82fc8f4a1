package io.penstock.gateway.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.Charge;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.admission.Admission.Spent;
import io.penstock.cluster.admission.Verdict;
import io.penstock.gateway.http.HeaderBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MeteringTest {
    private static final Price.Source POINTER = new Price.ResultPointer("/usage/tokens");

    private static Counter counter(Unit unit, boolean shadow) {
        Budget budget =
                new Budget(
                        "b",
                        unit,
                        1_000_000,
                        new Window.Lifetime(),
                        Set.of(),
                        null,
                        null,
                        shadow ? Mode.SHADOW : Mode.ENFORCE);
        return new Counter("k" + unit, budget, shadow);
    }

    private static Charge metered(Unit unit, long max, Price.Source source, long each) {
        Price price = new Price(null, null, unit, new Price.Measured(max, source, each));
        return new Charge(counter(unit, false), max, Charge.Kind.METERED, price);
    }

    private static Metering metering(Charge... holds) {
        return Objects.requireNonNull(
                Metering.of(
                        new Verdict.Admitted(
                                1, 1, List.of(), List.of(holds), new Verdict.Ticket() {}),
                        10,
                        "/result"));
    }

    private static HeaderBlock head(String type) {
        return new HeaderBlock().add("Content-Type", type);
    }

    private static void feed(Metering metering, String text) {
        for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
            metering.passed(new byte[] {octet}, 1);
        }
    }

    private static List<Long> amounts(List<Spent> spent) {
        return spent.stream().map(Spent::amount).toList();
    }

    @Test
    void of_callThatHoldsNothing_isNull() {
        assertThat(Metering.of(null, 1, "")).isNull();
        assertThat(
                        Metering.of(
                                new Verdict.Admitted(1, 1, List.of(), new Verdict.Ticket() {}),
                                1,
                                ""))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"usage\":{\"tokens\":41}}} | 41",
                "{\"result\":{\"usage\":{\"tokens\":0}}} | 0",
                "{\"result\":{\"usage\":{\"tokens\":2.5}}} | 3",
                "{\"result\":{\"usage\":{\"tokens\":-1}}} | -1",
                "{\"result\":{\"usage\":{\"tokens\":\"41\"}}} | -1",
                "{\"result\":{\"usage\":{\"tokens\":1e300}}} | -1",
                "{\"result\":{\"usage\":{}}} | -1",
                "{\"error\":{\"code\":-1,\"usage\":{\"tokens\":41}}} | -1",
                "[{\"result\":1}] | -1",
                "{\"result\":{\"usage\":{\"tokens\":41}} | -1",
                "nonsense | -1",
            })
    void spent_resultOfADocument_isReadOrLeftOut(String document, long expected) {
        Metering metering = metering(metered(Unit.TOKENS, 100, POINTER, 1));
        metering.head(head("application/json"));
        feed(metering, document);

        List<Long> spent = amounts(metering.spent(true));

        assertThat(spent).isEqualTo(expected < 0 ? List.of() : List.of(expected));
    }

    @Test
    void spent_answerBrokeOff_leavesResultsOut() {
        Metering metering = metering(metered(Unit.TOKENS, 100, POINTER, 1));
        metering.head(head("text/event-stream"));
        feed(metering, "data: {\"result\":{\"usage\":{\"tokens\":7}}}\n\n");

        assertThat(metering.spent(false)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"'\n'", "'\r\n'"})
    void spent_streamOfEvents_takesTheOneWithAResult(String end) {
        Metering metering = metering(metered(Unit.TOKENS, 100, POINTER, 1));
        metering.head(head("text/event-stream; charset=utf-8"));
        String stream =
                String.join(
                        end,
                        ": hello",
                        "",
                        "event: message",
                        "data: {\"method\":\"notifications/progress\",\"usage\":{\"tokens\":1}}",
                        "",
                        "data: {\"id\":1,",
                        "data:\"result\":{\"usage\":{\"tokens\":9}}}",
                        "",
                        "data: not json",
                        "",
                        "");
        feed(metering, stream);

        assertThat(amounts(metering.spent(true))).containsExactly(9L);
    }

    @Test
    void spent_documentPastTheBound_isLeftOut() {
        Metering metering = metering(metered(Unit.TOKENS, 100, POINTER, 1));
        metering.head(head("application/json"));
        byte[] start = "{\"pad\":\"".getBytes(StandardCharsets.UTF_8);
        metering.passed(start, start.length);
        byte[] pad = "x".repeat(64 * 1024).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 17; i++) {
            metering.passed(pad, pad.length);
        }
        feed(metering, "\",\"result\":{\"usage\":{\"tokens\":7}}}");

        assertThat(metering.spent(true)).isEmpty();
    }

    @Test
    void spent_encodedAnswer_isLeftOut() {
        Metering metering = metering(metered(Unit.TOKENS, 100, POINTER, 1));
        metering.head(head("application/json").add("Content-Encoding", "gzip"));
        feed(metering, "{\"result\":{\"usage\":{\"tokens\":7}}}");

        assertThat(metering.spent(true)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"3, 6", "0.0000004, 1", "' 12 ', 24", "-3, -1", "abc, -1", "1e3, -1", "'', -1"})
    void spent_header_isTimesEachRoundedUp(String value, long expected) {
        Metering metering =
                metering(metered(Unit.COST, 100, new Price.ResponseHeader("x-cost"), 2));
        metering.head(head("application/json").add("X-Cost", value));

        List<Long> spent = amounts(metering.spent(false));

        assertThat(spent).isEqualTo(expected < 0 ? List.of() : List.of(expected));
    }

    @Test
    void tooLong_bytesPastTheMost_namesTheBudgetAndCountsBothWays() {
        Charge charge = metered(Unit.BYTES, 100, new Price.BodyBytes(), 1);
        Metering metering = metering(charge);

        assertThat(metering.tooLong(90)).isNull();
        assertThat(metering.tooLong(91)).isEqualTo(charge);
        metering.passed(new byte[90], 90);
        assertThat(metering.tooLong(1)).isEqualTo(charge);
        assertThat(amounts(metering.spent(false))).containsExactly(100L);
    }

    @Test
    void tooLong_shadowBudget_cutsNothing() {
        Price price =
                new Price(null, null, Unit.BYTES, new Price.Measured(20, new Price.BodyBytes(), 1));
        Charge charge = new Charge(counter(Unit.BYTES, true), 20, Charge.Kind.METERED, price);

        assertThat(metering(charge).tooLong(1_000)).isNull();
    }

    @Test
    void spent_slot_needsNoAmount() {
        Charge slot =
                new Charge(
                        new Counter(
                                "k",
                                new Budget(
                                        "s",
                                        Unit.CONCURRENCY,
                                        1,
                                        new Window.Open(),
                                        Set.of(),
                                        null,
                                        null,
                                        Mode.ENFORCE),
                                false),
                        1,
                        Charge.Kind.SLOT,
                        null);

        assertThat(metering(slot).spent(true)).isEmpty();
    }
}

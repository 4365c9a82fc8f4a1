package io.penstock.cluster.alert;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;
import io.penstock.budget.Reserve;
import io.penstock.budget.Unit;
import io.penstock.budget.Unpriced;
import io.penstock.budget.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CrossingTest {

    private static Counter counter(long limit, Mode mode) {
        Budget budget =
                new Budget(
                        "b",
                        Unit.CALLS,
                        limit,
                        new Window.Lifetime(),
                        Set.of(),
                        null,
                        null,
                        mode,
                        Reserve.MAX,
                        Unpriced.REFUSE,
                        List.of(),
                        List.of(80, 95));
        return new Counter("1:bCl", budget, mode != Mode.ENFORCE);
    }

    private static List<Integer> crossed(Counter counter, long left, long charged) {
        List<Integer> percents = new ArrayList<>();
        Crossing.look(counter, new Level(0, left, charged, 0, -1), x -> percents.add(x.percent()));
        return percents;
    }

    @ParameterizedTest
    @CsvSource({
        "21, 79, ''",
        "20, 1, 80",
        "20, 80, 80",
        "19, 1, ''",
        "5, 15, 95",
        "0, 100, '80,95'",
        "0, 0, ''",
    })
    void look_batch_tellsOfTheSharesItPassed(long left, long charged, String expected) {
        assertThat(
                        crossed(counter(100, Mode.ENFORCE), left, charged)
                                .toString()
                                .replaceAll("[\\[\\] ]", ""))
                .isEqualTo(expected);
    }

    @Test
    void look_shadowBudget_tellsNothingAndAWarningOneDoes() {
        assertThat(crossed(counter(100, Mode.SHADOW), 0, 100)).isEmpty();
        assertThat(crossed(counter(100, Mode.WARN), 0, 100)).containsExactly(80, 95);
    }

    @ParameterizedTest
    @CsvSource({"7, 80, 6", "1, 1, 1", "0, 80, 0", "4611686018427387904, 80, 3689348814741910324"})
    void threshold_anyLimit_isRoundedUpWithoutOverflow(long limit, int percent, long expected) {
        assertThat(Crossing.threshold(limit, percent)).isEqualTo(expected);
    }
}

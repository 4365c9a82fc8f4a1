package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReservesTest {
    private static final Price PRICE =
            new Price(
                    null,
                    null,
                    Unit.TOKENS,
                    new Price.Measured(10_000, new Price.ResultPointer("/n"), 1));
    private final Reserves reserves = new Reserves();

    @Test
    void of_fewSamples_isTheMaximum() {
        for (int i = 0; i < Reserves.SAMPLES_LEAST - 1; i++) {
            reserves.learn(PRICE, 5);
        }
        assertThat(reserves.of(PRICE)).isEqualTo(10_000);
        assertThat(reserves.stamp()).isZero();

        reserves.learn(PRICE, 5);
        assertThat(reserves.of(PRICE)).isEqualTo(5);
        assertThat(reserves.stamp()).isEqualTo(1);
    }

    @Test
    void of_oneInTwentyIsDear_holdsWhatTheOthersCost() {
        for (int i = 0; i < 400; i++) {
            reserves.learn(PRICE, i % 20 == 0 ? 9_000 : 100);
        }
        assertThat(reserves.of(PRICE)).isEqualTo(100);
        for (int i = 0; i < 400; i++) {
            reserves.learn(PRICE, i % 10 == 0 ? 9_000 : 100);
        }
        assertThat(reserves.of(PRICE)).isEqualTo(9_000);
    }

    @Test
    void of_overruns_neverPassTheMaximum() {
        for (int i = 0; i < 40; i++) {
            reserves.learn(PRICE, 50_000);
        }
        assertThat(reserves.of(PRICE)).isEqualTo(10_000);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "999, 999", "1001, 1010", "1234567, 1240000", "99999, 100000"})
    void rounded_keepsThreeDigitsAndNeverLess(long amount, long expected) {
        assertThat(Reserves.rounded(amount)).isEqualTo(expected);
    }

    @Test
    void claim_adaptiveBudget_followsWhatCallsCost() {
        Budget budget =
                new Budget(
                        "b",
                        Unit.TOKENS,
                        1_000_000,
                        new Window.Lifetime(),
                        Set.of(),
                        null,
                        null,
                        Mode.ENFORCE,
                        Reserve.ADAPTIVE,
                        Unpriced.REFUSE,
                        List.of(),
                        List.of());
        BudgetSet set = new BudgetSet(List.of(budget), new PriceList(List.of(PRICE)));
        Subject subject = Batches.subject("a");
        Charge first = set.claim(subject, Mode.ENFORCE).charges().getFirst();
        assertThat(first.amount()).isEqualTo(10_000);

        for (int i = 0; i < 20; i++) {
            set.learn(first, 40);
        }

        Claim later = set.claim(subject, Mode.ENFORCE);
        assertThat(later.charges().getFirst().amount()).isEqualTo(40);
        assertThat(set.claim(subject, Mode.ENFORCE)).as("still one group").isSameAs(later);
    }
}

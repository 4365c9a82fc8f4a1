package io.penstock.budget;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.BudgetLedger.Level;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DenialMemoryTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long EPOCH = 7;

    private final DenialMemory memory = new DenialMemory(1_000);
    private final Counter counter = counter("b", 10);
    private final Claim claim = claim(counter);

    private void learn(long left, boolean shortOf, long endsInMicros, long sentNanos) {
        memory.learn(counter, EPOCH, new Level(3, left, 0, 0, endsInMicros), shortOf, sentNanos);
    }

    private boolean refuses(long epoch, long nowNanos) {
        return memory.refusal(claim, epoch, nowNanos) != null;
    }

    @Test
    void refusal_nothingKnown_isNull() {
        assertThat(memory.refusal(claim, EPOCH, 0)).isNull();
    }

    @Test
    void refusal_usedUp_saysWhatIsLeftAndUntilWhen() {
        learn(0, true, 600_000, 0);

        assertThat(memory.refusal(claim, EPOCH, 100_000_000))
                .isEqualTo(new Standing(counter, 0, 500_000, 1));
    }

    @Test
    void refusal_windowIsOver_isNull() {
        learn(0, true, 600_000, 0);

        assertThat(refuses(EPOCH, 599_999_999)).isTrue();
        assertThat(refuses(EPOCH, 600_000_000)).isFalse();
    }

    /** More microseconds than there are nanoseconds in a long. */
    @Test
    void refusal_unitsComeBackAfterAges_isRemembered() {
        for (long ages : new long[] {Long.MAX_VALUE / 1_000 + 1, 1L << 55, 1L << 62}) {
            memory.clear();
            learn(0, true, ages, 0);

            assertThat(refuses(EPOCH, SECOND / 2)).as("%d us", ages).isTrue();
        }
    }

    @Test
    void refusal_secondIsOver_letsOneCallAskAtATime() {
        learn(0, true, 3_600_000_000L, 0);

        assertThat(refuses(EPOCH, SECOND - 1)).isTrue();
        assertThat(refuses(EPOCH, SECOND)).isFalse();
        assertThat(refuses(EPOCH, SECOND)).isTrue();
        assertThat(refuses(EPOCH, SECOND + 249_999_999)).isTrue();
        assertThat(refuses(EPOCH, SECOND + 250_000_000)).isFalse();
    }

    @Test
    void refusal_otherEpoch_isNull() {
        learn(0, true, 600_000, 0);

        assertThat(refuses(EPOCH + 1, 1)).isFalse();
    }

    @Test
    void refusal_amountFitsInWhatIsLeft_isNull() {
        learn(1, true, 600_000, 0);

        assertThat(refuses(EPOCH, 1)).isFalse();
        assertThat(memory.refusal(new Claim(List.of(new Charge(counter, 2))), EPOCH, 1))
                .isNotNull();
    }

    @Test
    void refusal_exactlyUsedUpWithoutADenial_isRemembered() {
        learn(0, false, 600_000, 0);

        assertThat(refuses(EPOCH, 1)).isTrue();
    }

    @Test
    void refusal_severalCounters_namesTheOneThatFreesLast() {
        Counter later = counter("later", 10);
        learn(0, true, 600_000, 0);
        memory.learn(later, EPOCH, new Level(3, 0, 0, 0, 900_000), true, 0);

        Standing standing = memory.refusal(claim(counter, later), EPOCH, 0);

        assertThat(standing).isEqualTo(new Standing(later, 0, 900_000, 1));
    }

    @Test
    void refusal_oneMayAskAndOneIsFresh_isRefused() {
        Counter fresh = counter("fresh", 10);
        learn(0, true, 3_600_000_000L, 0);
        memory.learn(fresh, EPOCH, new Level(3, 0, 0, 0, 3_600_000_000L), true, SECOND);

        assertThat(memory.refusal(claim(counter, fresh), EPOCH, SECOND)).isNotNull();
        assertThat(refuses(EPOCH, SECOND)).as("its turn to ask was not used up").isFalse();
    }

    @Test
    void learn_unitsCameBack_forgets() {
        learn(0, true, 3_600_000_000L, 0);
        learn(2, false, 3_600_000_000L, SECOND);

        assertThat(refuses(EPOCH, SECOND + 1)).isFalse();
        assertThat(memory.size()).isZero();
    }

    @Test
    void learn_olderAnswerArrivesLate_changesNothing() {
        learn(0, true, 3_600_000_000L, 500);
        learn(4, false, 3_600_000_000L, 400);

        assertThat(refuses(EPOCH, 1_000)).isTrue();
    }

    @Test
    void learn_shadowCounter_isNeverRemembered() {
        Counter shadow = Batches.shadow("w", 1);

        memory.learn(shadow, EPOCH, new Level(3, 0, 0, 0, 600_000), true, 0);

        assertThat(memory.refusal(claim(shadow), EPOCH, 1)).isNull();
    }

    @Test
    void learn_manyCounters_keepsABoundedNumber() {
        for (int i = 0; i < 10_000; i++) {
            memory.learn(counter("c" + i, 1), EPOCH, new Level(3, 0, 0, 0, 600_000), true, 0);
        }

        assertThat(memory.size()).isLessThanOrEqualTo(1_000);
    }

    @Test
    void clear_everything_isForgotten() {
        learn(0, true, 600_000, 0);
        memory.clear();

        assertThat(refuses(EPOCH, 1)).isFalse();
    }

    private static Counter counterOf(Window window) {
        Unit unit = window instanceof Window.Open ? Unit.CONCURRENCY : Unit.CALLS;
        return Counter.of(
                new Budget("w", unit, 10, window, Set.of(), null, null, Mode.ENFORCE),
                new Subject("t", "a", "s", "tool", "session"),
                false);
    }

    /** From memory until the first unit comes back, and not a moment longer. */
    @Test
    void refusal_unitsComeBackByTime_lastsUntilTheFirstDoes() {
        for (Window window :
                List.of(
                        new Window.Sliding(1_000_000),
                        new Window.Rate(1_000_000, 5),
                        new Window.Calendar(Window.Calendar.Span.DAY, ZoneId.of("UTC")))) {
            DenialMemory fresh = new DenialMemory(10);
            Counter used = counterOf(window);
            fresh.learn(used, EPOCH, new Level(3, 0, 1, 0, 20_000), true, 0);

            assertThat(fresh.refusal(claim(used), EPOCH, 19_999_999))
                    .as(window.words())
                    .isEqualTo(new Standing(used, 0, 0, 1));
            assertThat(fresh.refusal(claim(used), EPOCH, 20_000_000)).as(window.words()).isNull();
        }
    }

    @Test
    void learn_unitsThatMayComeBackAtAnyTime_isNeverRemembered() {
        for (Window window : List.of(new Window.Session(60_000_000), new Window.Open())) {
            memory.learn(counterOf(window), EPOCH, new Level(3, 0, 1, 0, 600_000), true, 0);
        }
        memory.learn(counter, EPOCH, new Level(3, 0, 1, 1, 600_000), true, 0);

        assertThat(memory.size()).isZero();
    }

    @Test
    void refusal_lifetimeUsedUp_isAskedForAgainAndNeverEnds() {
        Counter used = counterOf(new Window.Lifetime());
        memory.learn(used, EPOCH, new Level(0, 0, 1, 0, -1), true, 0);

        assertThat(memory.refusal(claim(used), EPOCH, 5)).isEqualTo(new Standing(used, 0, -1, 1));
        assertThat(memory.refusal(claim(used), EPOCH, SECOND)).isNull();
        assertThat(memory.refusal(claim(used), EPOCH, SECOND + 1)).isNotNull();
    }
}

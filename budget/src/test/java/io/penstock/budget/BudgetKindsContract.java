package io.penstock.budget;

import static io.penstock.budget.Batches.decided;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Settlement.Fate;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Settled;
import io.penstock.budget.Settlement.Unsent;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What every kind of budget does, on a ledger whose clock the test sets. */
public abstract class BudgetKindsContract {
    private static final long SECOND = 1_000_000;
    private static final long START =
            ChronoUnit.MICROS.between(
                    Instant.EPOCH, Instant.now().truncatedTo(ChronoUnit.DAYS).plusSeconds(7_200));

    @SuppressWarnings("NullAway.Init") // set before each test
    private ClockedFixture fixture;

    @SuppressWarnings("NullAway.Init") // set before each test
    private BudgetLedger lane;

    private long now;
    private long seq;

    /** For subclasses. */
    protected BudgetKindsContract() {}

    /** An empty ledger. */
    protected abstract ClockedFixture openClocked();

    @BeforeEach
    void open() {
        fixture = openClocked();
        at(START);
        lane = fixture.lane(0);
    }

    @AfterEach
    void close() {
        lane.close();
        fixture.close();
    }

    private void at(long micros) {
        now = micros;
        fixture.setClock(micros);
    }

    private void pass(long micros) {
        at(now + micros);
    }

    private static Counter counter(Window window, long limit) {
        return counter("b", window, limit);
    }

    private static Counter counter(String name, Window window, long limit) {
        Unit unit = window instanceof Window.Open ? Unit.CONCURRENCY : Unit.CALLS;
        Budget budget = new Budget(name, unit, limit, window, Set.of(), null, null, Mode.ENFORCE);
        return Counter.of(budget, new Subject("t", "a", "s", "tool", "session-1"), false);
    }

    private static Claim metered(Counter counter, long amount) {
        Price price =
                new Price(
                        null,
                        null,
                        Unit.TOKENS,
                        new Price.Measured(amount, new Price.ResultPointer("/n"), 1));
        return new Claim(List.of(new Charge(counter, amount, Charge.Kind.METERED, price)));
    }

    private static Claim slot(Counter counter) {
        return new Claim(List.of(new Charge(counter, 1, Charge.Kind.SLOT, null)));
    }

    private Decided admit(Batches batch) {
        return decided(lane.admit(batch.build(++seq, fixture.epoch())));
    }

    private int admit(int calls, Counter counter) {
        return admit(new Batches().add(calls, Batches.claim(counter))).admitted()[0];
    }

    private void settle(Settled... holds) {
        assertThat(lane.settle(new Settlement(++seq, 5_000, List.of(), List.of(), List.of(holds))))
                .isInstanceOf(BudgetLedger.Returned.class);
    }

    private void refund(Counter counter, long index, long amount) {
        lane.settle(
                new Settlement(
                        ++seq,
                        5_000,
                        List.of(new Refund(counter, index, amount)),
                        List.of(new Unsent(UUID.randomUUID(), now))));
    }

    // --- sliding

    @Test
    void sliding_afterTheWholeLength_unitsComeBackAtMostOneGranuleLate() {
        Counter counter = counter(new Window.Sliding(SECOND), 10);
        at(START + 13_000);
        assertThat(admit(10, counter)).isEqualTo(10);

        pass(SECOND - 1);
        assertThat(admit(1, counter)).as("inside the length").isZero();
        pass(20_000);
        assertThat(admit(11, counter)).as("one granule later").isEqualTo(10);
    }

    @Test
    void sliding_unitsAcrossTheBorder_areCountedTogether() {
        Counter counter = counter(new Window.Sliding(SECOND), 10);
        at(START + 900_000);
        assertThat(admit(6, counter)).isEqualTo(6);
        at(START + SECOND + 100_000);
        assertThat(admit(10, counter)).isEqualTo(4);
        at(START + SECOND + 930_000);
        assertThat(admit(10, counter)).as("the first six are gone").isEqualTo(6);
    }

    @Test
    void sliding_used_saysWhenTheOldestUnitsLeave() {
        Counter counter = counter(new Window.Sliding(SECOND), 2);
        admit(1, counter);
        pass(300_000);
        Level level = admit(new Batches().add(2, Batches.claim(counter))).levels().getFirst();

        assertThat(level.left()).isZero();
        assertThat(level.backMicros()).isEqualTo(SECOND + 20_000 - 300_000);
    }

    @Test
    void sliding_refund_goesToTheGranuleThatWasCharged() {
        Counter counter = counter(new Window.Sliding(SECOND), 10);
        long index =
                admit(new Batches().add(7, Batches.claim(counter))).levels().getFirst().index();
        pass(500_000);
        admit(3, counter);

        refund(counter, index, 4);
        assertThat(admit(9, counter)).isEqualTo(4);
        pass(600_000);
        assertThat(admit(10, counter)).as("what is left of the first granule left").isEqualTo(3);
    }

    // --- rate

    @Test
    void rate_burstThenEvenly_admitsWhatHasComeBack() {
        Counter counter = counter(new Window.Rate(SECOND, 20), 100);
        assertThat(admit(25, counter)).isEqualTo(20);
        pass(9_999);
        assertThat(admit(1, counter)).isZero();
        pass(1);
        assertThat(admit(2, counter)).isEqualTo(1);
        pass(10 * SECOND);
        assertThat(admit(25, counter)).isEqualTo(20);
    }

    /** Thirds of microseconds must not add up to a unit too many or too few. */
    @Test
    void rate_periodNotDivisible_isExactOverManyUnits() {
        Counter counter = counter(new Window.Rate(SECOND, 2), 3);
        long admitted = 0;
        for (int i = 0; i < 40; i++) {
            admitted += admit(1, counter);
            pass(83_333);
        }

        assertThat(admitted).isEqualTo(2 + 39 * 83_333L * 3 / SECOND);
    }

    @Test
    void rate_refund_onlyWhileNothingWasChargedSince() {
        Counter counter = counter(new Window.Rate(SECOND, 2), 1);
        long first =
                admit(new Batches().add(1, Batches.claim(counter))).levels().getFirst().index();
        refund(counter, first, 1);
        assertThat(admit(3, counter)).isEqualTo(2);

        pass(2 * SECOND);
        long x = admit(new Batches().add(1, Batches.claim(counter))).levels().getFirst().index();
        pass(900_000);
        assertThat(admit(1, counter)).isEqualTo(1);
        refund(counter, x, 1);
        pass(100_000);
        assertThat(admit(3, counter)).as("3 in 0.1 s would be over").isLessThanOrEqualTo(1);
    }

    @Test
    void rate_otherLimit_keepsWhatIsUnderWay() {
        Window rate = new Window.Rate(SECOND, 10);
        assertThat(admit(10, counter(rate, 10))).isEqualTo(10);
        pass(500_000);

        assertThat(admit(10, counter(rate, 1_000))).isEqualTo(0);
        pass(500_000);
        assertThat(admit(20, counter(rate, 1_000))).isEqualTo(10);
    }

    @Test
    void rate_limitZero_admitsNothing() {
        Level level =
                admit(new Batches().add(1, Batches.claim(counter(new Window.Rate(SECOND, 5), 0))))
                        .levels()
                        .getFirst();

        assertThat(level.left()).isZero();
        assertThat(level.backMicros()).isEqualTo(-1);
    }

    // --- calendar, lifetime, session

    @ParameterizedTest
    @CsvSource({
        "DAY, Europe/Berlin, 2026-03-29T00:00, 2026-03-29T23:59:59, 2026-03-30T00:00",
        "DAY, Europe/Berlin, 2026-10-25T00:00, 2026-10-25T23:59:59, 2026-10-26T00:00",
        "DAY, America/Havana, 2026-03-08T01:00, 2026-03-08T23:59:59, 2026-03-09T00:00",
        "DAY, Africa/Cairo, 2026-04-24T01:00, 2026-04-24T23:59:59, 2026-04-25T00:00",
        "DAY, Australia/Lord_Howe, 2026-04-05T00:00, 2026-04-05T23:59:59, 2026-04-06T00:00",
        "DAY, Pacific/Apia, 2011-12-29T00:00, 2011-12-29T23:59:59, 2011-12-31T00:00",
        "WEEK, Europe/Berlin, 2026-12-28T00:00, 2027-01-03T23:59:59, 2027-01-04T00:00",
        "MONTH, Europe/Berlin, 2026-02-01T00:00, 2026-02-28T23:59:59, 2026-03-01T00:00",
        "MONTH, Pacific/Apia, 2026-12-01T00:00, 2026-12-31T23:59:59, 2027-01-01T00:00",
    })
    void calendar_localDates_beginAndEndTheWindow(
            Window.Calendar.Span span,
            String zone,
            LocalDateTime first,
            LocalDateTime last,
            LocalDateTime next) {
        ZoneId id = ZoneId.of(zone);
        Counter counter = counter(new Window.Calendar(span, id), 5);
        at(micros(first, id));
        assertThat(admit(3, counter)).isEqualTo(3);
        at(micros(last, id));
        Level end = admit(new Batches().add(3, Batches.claim(counter))).levels().getFirst();
        assertThat(end.charged()).isEqualTo(2);
        assertThat(end.backMicros()).isPositive();
        at(micros(next, id));
        assertThat(admit(6, counter)).isEqualTo(5);
    }

    private static long micros(LocalDateTime local, ZoneId zone) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, local.atZone(zone).toInstant());
    }

    @Test
    void lifetime_neverStartsOver() {
        Counter counter = counter(new Window.Lifetime(), 3);
        assertThat(admit(2, counter)).isEqualTo(2);
        pass(86_400 * SECOND);

        Level level = admit(new Batches().add(2, Batches.claim(counter))).levels().getFirst();
        assertThat(level.charged()).isEqualTo(1);
        assertThat(level.backMicros()).isEqualTo(-1);
    }

    @Test
    void session_silentForItsIdleTime_startsOver() {
        Counter counter = counter(new Window.Session(60 * SECOND), 3);
        assertThat(admit(2, counter)).isEqualTo(2);
        pass(60 * SECOND);
        assertThat(admit(2, counter)).as("still the same session").isEqualTo(1);
        pass(60 * SECOND + 1);
        assertThat(admit(4, counter)).isEqualTo(3);
    }

    @Test
    void session_clockStepsBack_goesOn() {
        Counter counter = counter(new Window.Session(2 * SECOND), 3);
        assertThat(admit(1, counter)).isEqualTo(1);
        pass(-3 * SECOND);
        assertThat(admit(1, counter)).isEqualTo(1);
        pass(2 * SECOND + SECOND / 2);
        assertThat(admit(3, counter)).as("not silent for 2 s yet").isEqualTo(1);
    }

    // --- limits

    @Test
    void limit_twoToThe62_isCountedExactly() {
        Counter counter = counter(new Window.Lifetime(), 1L << 62);
        Claim claim = new Claim(List.of(new Charge(counter, 1L << 52)));
        for (int i = 0; i < 2; i++) {
            assertThat(admit(new Batches().add(512, claim)).admitted()).containsExactly(512);
        }
        assertThat(fixture.used(counter)).isEqualTo(1L << 62);
        assertThat(admit(1, counter)).isZero();
    }

    @Test
    void limit_zero_admitsNothingOfAnyKind() {
        for (Window window :
                List.of(
                        new Window.Fixed(SECOND),
                        new Window.Lifetime(),
                        new Window.Sliding(SECOND),
                        new Window.Session(SECOND),
                        new Window.Rate(SECOND, 1))) {
            assertThat(admit(1, counter(window.spec(), window, 0))).as(window.spec()).isZero();
        }
    }

    @Test
    void limit_loweredInMidWindow_takesNothingBackAndAdmitsNoMore() {
        Window window = new Window.Sliding(10 * SECOND);
        assertThat(admit(8, counter(window, 10))).isEqualTo(8);
        assertThat(admit(1, counter(window, 5))).isZero();
        assertThat(fixture.used(counter(window, 5))).isEqualTo(8);
        assertThat(admit(9, counter(window, 12))).isEqualTo(4);
    }

    @Test
    void mixedKinds_oneIsUsedUp_noneIsCharged() {
        Counter fixed = counter("f", new Window.Fixed(60 * SECOND), 100);
        Counter sliding = counter("s", new Window.Sliding(60 * SECOND), 100);
        Counter rate = counter("r", new Window.Rate(60 * SECOND, 3), 3);
        Counter slots = counter("o", new Window.Open(), 100);
        Claim all =
                new Claim(
                        List.of(
                                new Charge(fixed, 2),
                                new Charge(sliding, 5),
                                new Charge(rate, 1),
                                new Charge(slots, 1, Charge.Kind.SLOT, null)));

        assertThat(admit(new Batches().add(7, all)).admitted()).containsExactly(3);
        assertThat(fixture.used(fixed)).isEqualTo(6);
        assertThat(fixture.used(sliding)).isEqualTo(15);
        assertThat(fixture.used(slots)).isEqualTo(3);
        assertThat(fixture.holds()).isEqualTo(3);
    }

    @Test
    void shadow_amountDoesNotFit_isNotChargedInPart() {
        Counter shadow = Batches.shadow("w", 5);
        Claim two = new Claim(List.of(new Charge(shadow, 2)));

        Decided decided = admit(new Batches().add(4, two));

        assertThat(decided.admitted()).containsExactly(4);
        assertThat(decided.levels().getFirst().charged()).isEqualTo(4);
        assertThat(decided.levels().getFirst().left()).isEqualTo(1);
    }

    // --- holds

    @Test
    void hold_isChargedUntilItIsSettledWithTheRealAmount() {
        Counter counter = counter(new Window.Fixed(3_600 * SECOND), 100);
        Batches batch = new Batches().add(2, metered(counter, 40));
        Level level = admit(batch).levels().getFirst();
        assertThat(level.left()).isEqualTo(20);
        assertThat(level.held()).isEqualTo(80);

        settle(new Settled(batch.call(0), counter, 7, Fate.SETTLED));

        assertThat(fixture.used(counter)).isEqualTo(47);
        assertThat(fixture.held(counter)).isEqualTo(40);
        assertThat(fixture.holds()).isEqualTo(1);
        assertThat(fixture.ended()).containsExactly(batch.call(0) + " b 7 settled");
    }

    @Test
    void hold_settledTwice_changesNothingTheSecondTime() {
        Counter counter = counter(new Window.Lifetime(), 100);
        Batches batch = new Batches().add(1, metered(counter, 40));
        admit(batch);

        settle(new Settled(batch.call(0), counter, 10, Fate.SETTLED));
        settle(new Settled(batch.call(0), counter, 10, Fate.SETTLED));
        settle(new Settled(batch.call(0), counter, 0, Fate.RELEASED));

        assertThat(fixture.used(counter)).isEqualTo(10);
        assertThat(fixture.held(counter)).isZero();
        assertThat(fixture.ended()).hasSize(1);
    }

    @Test
    void hold_inFullReleasedAndOverrun_areAccountedAsSuch() {
        Counter counter = counter(new Window.Lifetime(), 100);
        Batches batch = new Batches().add(3, metered(counter, 30));
        admit(batch);

        settle(
                new Settled(batch.call(0), counter, 0, Fate.IN_FULL),
                new Settled(batch.call(1), counter, 0, Fate.RELEASED),
                new Settled(batch.call(2), counter, 90, Fate.OVERRUN));

        assertThat(fixture.used(counter)).isEqualTo(120);
        assertThat(admit(1, counter)).isZero();
        assertThat(fixture.ended())
                .containsExactlyInAnyOrder(
                        batch.call(0) + " b 30 in-full",
                        batch.call(1) + " b 0 released",
                        batch.call(2) + " b 90 overrun");
    }

    @Test
    void hold_windowIsOver_settlesWithoutTouchingTheNewOne() {
        Counter counter = counter(new Window.Fixed(SECOND), 100);
        Batches batch = new Batches().add(1, metered(counter, 40));
        admit(batch);
        pass(SECOND);
        assertThat(admit(5, counter)).isEqualTo(5);

        settle(new Settled(batch.call(0), counter, 10, Fate.SETTLED));

        assertThat(fixture.used(counter)).isEqualTo(5);
        assertThat(fixture.held(counter)).isZero();
    }

    @Test
    void hold_onSlidingAndRate_givesBackWhatWasNotUsed() {
        Counter sliding = counter("s", new Window.Sliding(10 * SECOND), 100);
        Counter rate = counter("r", new Window.Rate(SECOND, 100), 100);
        Batches batch = new Batches().add(1, metered(sliding, 60)).add(1, metered(rate, 60));
        admit(batch);
        pass(100_000);

        settle(
                new Settled(batch.call(0), sliding, 15, Fate.SETTLED),
                new Settled(batch.call(1), rate, 15, Fate.SETTLED));

        assertThat(admit(100, sliding)).isEqualTo(85);
        assertThat(admit(200, rate)).isEqualTo(95);
    }

    /** What an upstream says a call has cost must not keep other calls' holds from ending. */
    @Test
    void hold_overrunBeyondAllMeasure_isCountedAndNeverAnError() {
        for (Window window :
                List.of(
                        new Window.Fixed(SECOND),
                        new Window.Lifetime(),
                        new Window.Sliding(60 * SECOND),
                        new Window.Session(SECOND),
                        new Window.Rate(Window.MICROS_MAX, 10))) {
            Counter counter = counter(window.spec(), window, 10);
            Batches batch = new Batches().add(1, metered(counter, 10));
            admit(batch);

            settle(new Settled(batch.call(0), counter, Budget.AMOUNT_MAX, Fate.OVERRUN));

            assertThat(fixture.held(counter)).as(window.spec()).isZero();
            assertThat(fixture.standing(counter).remaining()).as(window.spec()).isZero();
            assertThat(admit(1, counter)).as(window.spec()).isZero();
        }
    }

    @Test
    void hold_overrunsInManyGranules_stopAtTheMostThatIsCounted() {
        Counter counter = counter(new Window.Sliding(50 * SECOND), 4_000);
        Batches batch = new Batches();
        List<Settled> ends = new ArrayList<>();
        for (int granule = 0; granule < 6; granule++) {
            batch.add(512, metered(counter, 1));
            for (int i = 0; i < 512; i++) {
                ends.add(
                        new Settled(
                                batch.call(granule * 512 + i),
                                counter,
                                Budget.AMOUNT_MAX,
                                Fate.OVERRUN));
            }
            admit(batch);
            pass(SECOND);
        }

        for (int from = 0; from < ends.size(); from += 512) {
            settle(ends.subList(from, from + 512).toArray(Settled[]::new));
        }

        assertThat(fixture.used(counter)).isEqualTo(Budget.LIMIT_MAX);
        assertThat(fixture.held(counter)).isZero();
        assertThat(admit(1, counter)).isZero();
        pass(51 * SECOND);
        assertThat(admit(1, counter)).as("all of it is over").isEqualTo(1);
    }

    @Test
    void slot_isFreeAgainWhenItsCallIsOver() {
        Counter slots = counter(new Window.Open(), 2);
        Batches batch = new Batches().add(3, slot(slots));
        assertThat(admit(batch).admitted()).containsExactly(2);
        pass(3_600 * SECOND);
        assertThat(admit(new Batches().add(1, slot(slots))).admitted()).containsExactly(0);

        settle(new Settled(batch.call(0), slots, 0, Fate.RELEASED));

        assertThat(admit(new Batches().add(2, slot(slots))).admitted()).containsExactly(1);
        assertThat(fixture.ended()).as("slots are not journaled").isEmpty();
    }

    @Test
    void resolve_batchWithHolds_endsThemAndGivesEverythingBack() {
        Counter tokens = counter("t", new Window.Sliding(60 * SECOND), 100);
        Counter slots = counter("o", new Window.Open(), 5);
        Claim both =
                new Claim(
                        List.of(
                                metered(tokens, 30).charges().getFirst(),
                                slot(slots).charges().getFirst()));
        Batch batch = new Batches().add(5, both).build(++seq, fixture.epoch());
        assertThat(decided(lane.admit(batch)).admitted()).containsExactly(3);

        assertThat(lane.resolve(batch)).isEqualTo(new BudgetLedger.Resolved(true));

        assertThat(fixture.holds()).isZero();
        assertThat(fixture.held(tokens)).isZero();
        assertThat(fixture.used(tokens)).isZero();
        assertThat(fixture.used(slots)).isZero();
        assertThat(lane.resolve(batch)).isEqualTo(new BudgetLedger.Resolved(false));
    }

    @Test
    void resolve_everyKind_givesBackWhatStillCounts() {
        List<Counter> counters = new ArrayList<>();
        for (Window window :
                List.of(
                        new Window.Fixed(60 * SECOND),
                        new Window.Calendar(Window.Calendar.Span.DAY, ZoneId.of("UTC")),
                        new Window.Session(60 * SECOND),
                        new Window.Lifetime(),
                        new Window.Sliding(60 * SECOND))) {
            counters.add(counter("b" + counters.size(), window, 10));
        }
        Batch batch =
                new Batches()
                        .add(4, Batches.claim(counters.toArray(Counter[]::new)))
                        .build(++seq, fixture.epoch());
        decided(lane.admit(batch));
        pass(2 * SECOND);

        lane.resolve(batch);

        counters.forEach(c -> assertThat(fixture.used(c)).as(c.key()).isZero());
    }

    @Test
    void history_randomCourseOfEveryKind_matchesTheModel() {
        Long given = Long.getLong("penstock.seed");
        for (int i = 0; i < Depth.of("penstock.histories", 4, 100); i++) {
            long seed = given == null ? LedgerHistory.newSeed() : given;
            try (ClockedFixture fresh = openClocked()) {
                new KindsHistory(seed, fresh, START).run(120);
            } catch (AssertionError e) {
                throw new AssertionError("-Dpenstock.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}

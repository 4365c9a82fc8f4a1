package io.penstock.budget;

import static io.penstock.budget.Batches.claim;
import static io.penstock.budget.Batches.counter;
import static io.penstock.budget.Batches.decided;
import static io.penstock.budget.Batches.shadow;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.BudgetLedger.Replan;
import io.penstock.budget.BudgetLedger.Resolved;
import io.penstock.budget.BudgetLedger.Returned;
import io.penstock.budget.BudgetLedger.Superseded;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Unsent;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every ledger must do. */
public abstract class BudgetLedgerContract {
    private static final Window.Fixed SECOND = new Window.Fixed(1_000_000);

    @SuppressWarnings("NullAway.Init") // set before each test
    private LedgerFixture fixture;

    @SuppressWarnings("NullAway.Init") // set before each test
    private BudgetLedger lane;

    /** For subclasses. */
    protected BudgetLedgerContract() {}

    /** An empty ledger. */
    protected abstract LedgerFixture open();

    @BeforeEach
    void openFixture() {
        fixture = open();
        lane = fixture.lane(0);
    }

    @AfterEach
    void closeFixture() {
        lane.close();
        fixture.close();
    }

    private Decided admit(long seq, Batches batch) {
        return decided(lane.admit(batch.build(seq, fixture.epoch())));
    }

    private Counter used(String name, long limit, int used) {
        Counter counter = counter(name, limit);
        if (used > 0) {
            admit(lane.lastSeq() + 1, new Batches().add(used, claim(counter)));
            lane.close();
            lane = fixture.lane(0);
        }
        return counter;
    }

    @Test
    void admit_enoughLeft_chargesEveryCall() {
        Counter counter = counter("b", 10);

        Decided decided = admit(1, new Batches().add(7, claim(counter)));

        assertThat(decided.admitted()).containsExactly(7);
        assertThat(decided.levels().getFirst().left()).isEqualTo(3);
        assertThat(decided.levels().getFirst().charged()).isEqualTo(7);
        assertThat(fixture.used(counter)).isEqualTo(7);
    }

    @Test
    void admit_tooLittleLeft_admitsTheFirstToArrive() {
        Counter counter = used("b", 10, 7);
        Batches batch = new Batches().add(5, claim(counter));

        Decided decided = admit(lane.lastSeq() + 1, batch);

        assertThat(decided.admitted()).containsExactly(3);
        assertThat(decided.levels().getFirst().left()).isZero();
        assertThat(fixture.used(counter)).isEqualTo(10);
        assertThat(fixture.intents())
                .contains(batch.call(0), batch.call(1), batch.call(2))
                .doesNotContain(batch.call(3), batch.call(4));
    }

    @Test
    void admit_nothingLeft_admitsNoneAndWritesNothing() {
        Counter counter = used("b", 4, 4);
        Counter fresh = counter("fresh", 4);

        Decided decided = admit(lane.lastSeq() + 1, new Batches().add(3, claim(counter, fresh)));

        assertThat(decided.admitted()).containsExactly(0);
        assertThat(fixture.used(counter)).isEqualTo(4);
        assertThat(fixture.used(fresh)).isZero();
    }

    @Test
    void admit_oneOfTwoBudgetsTight_chargesBothOrNone() {
        Counter wide = counter("wide", 100);
        Counter tight = counter("tight", 2);

        Decided decided = admit(1, new Batches().add(5, claim(wide, tight)));

        assertThat(decided.admitted()).containsExactly(2);
        assertThat(fixture.used(wide)).isEqualTo(2);
        assertThat(fixture.used(tight)).isEqualTo(2);
    }

    @Test
    void admit_groupsShareCounter_earlierGroupIsServedFirst() {
        Counter shared = counter("shared", 5);
        Counter own = counter("own", 3);
        Claim both = claim(shared, own);
        Claim one = claim(shared);

        Decided decided = admit(1, new Batches().add(4, both).add(4, one).add(2, both));

        assertThat(decided.admitted()).containsExactly(3, 2);
        assertThat(fixture.used(shared)).isEqualTo(5);
        assertThat(fixture.used(own)).isEqualTo(3);
    }

    @Test
    void admit_amountsAboveOne_countInUnits() {
        Counter counter = counter("b", 10);
        Claim three = new Claim(List.of(new Charge(counter, 3)));
        Claim four = new Claim(List.of(new Charge(counter, 4)));

        Decided decided = admit(1, new Batches().add(2, three).add(2, four));

        assertThat(decided.admitted()).containsExactly(2, 1);
        assertThat(fixture.used(counter)).isEqualTo(10);
    }

    @Test
    void admit_callWithoutBudget_isAdmittedAndJournaled() {
        Counter empty = counter("empty", 0);
        Batches batch = new Batches().add(2, Claim.NONE).add(1, claim(empty));

        Decided decided = admit(1, batch);

        assertThat(decided.admitted()).containsExactly(2, 0);
        assertThat(fixture.intents()).containsExactlyInAnyOrder(batch.call(0), batch.call(1));
    }

    @Test
    void admit_shadowUsedUp_admitsAndCountsToTheLimit() {
        Counter shadow = shadow("watched", 3);
        Counter counter = counter("b", 100);

        Decided decided = admit(1, new Batches().add(5, claim(shadow, counter)));
        Decided next = admit(2, new Batches().add(2, claim(shadow, counter)));

        assertThat(decided.admitted()).containsExactly(5);
        assertThat(decided.levels().getFirst().charged()).isEqualTo(3);
        assertThat(next.admitted()).containsExactly(2);
        assertThat(next.levels().getFirst().charged()).isZero();
        assertThat(fixture.used(shadow)).isEqualTo(3);
        assertThat(fixture.used(counter)).isEqualTo(7);
    }

    @Test
    void admit_shadowBesideTightBudget_countsOnlyAdmittedCalls() {
        Counter shadow = shadow("watched", 10);
        Counter tight = counter("tight", 2);

        Decided decided = admit(1, new Batches().add(5, claim(shadow, tight)));

        assertThat(decided.admitted()).containsExactly(2);
        assertThat(fixture.used(shadow)).isEqualTo(2);
    }

    @Test
    void admit_limitLoweredBelowUsed_refusesAndLeavesOthersAlone() {
        used("b", 10, 8);
        Counter lowered = counter("b", 5);
        Counter other = counter("other", 5);

        Decided decided =
                admit(
                        lane.lastSeq() + 1,
                        new Batches().add(1, claim(lowered)).add(2, claim(other)));

        assertThat(decided.admitted()).containsExactly(0, 2);
        assertThat(decided.levels().getFirst().left()).isZero();
        assertThat(fixture.used(lowered)).isEqualTo(8);
    }

    @Test
    void admit_shadowLimitLoweredBelowUsed_keepsWhatWasCounted() {
        Counter before = shadow("watched", 10);
        admit(1, new Batches().add(8, claim(before)));

        Decided decided = admit(2, new Batches().add(2, claim(shadow("watched", 5))));

        assertThat(decided.admitted()).containsExactly(2);
        assertThat(fixture.used(before)).isEqualTo(8);
    }

    @Test
    void admit_limitRaised_givesTheDifference() {
        used("b", 5, 5);

        Decided decided = admit(lane.lastSeq() + 1, new Batches().add(4, claim(counter("b", 7))));

        assertThat(decided.admitted()).containsExactly(2);
    }

    @Test
    void admit_newWindow_beginsAtZero() {
        Counter counter = counter("b", 3, SECOND);
        fixture.awaitNewWindow(SECOND);
        Decided first = admit(1, new Batches().add(5, claim(counter)));
        fixture.awaitNewWindow(SECOND);

        Decided second = admit(2, new Batches().add(5, claim(counter)));

        assertThat(first.admitted()).containsExactly(3);
        assertThat(second.admitted()).containsExactly(3);
        assertThat(second.levels().getFirst().index())
                .isGreaterThan(first.levels().getFirst().index());
    }

    @Test
    void admit_counterIsAheadOfTheClock_itsWindowNeverGoesBack() {
        Counter counter = counter("b", 10);
        Decided now = admit(1, new Batches().add(1, claim(counter)));
        long ahead = now.levels().getFirst().index() + 5;
        fixture.plant(counter, ahead, 8);

        Decided decided = admit(2, new Batches().add(5, claim(counter)));

        assertThat(decided.admitted()).containsExactly(2);
        Level level = decided.levels().getFirst();
        assertThat(level.index()).isEqualTo(ahead);
        assertThat(level.left()).isZero();
        assertThat(level.charged()).isEqualTo(2);
    }

    @Test
    void admit_otherEpoch_replansAndChargesNothing() {
        Counter counter = counter("b", 10);
        long before = fixture.epoch();
        fixture.raiseEpoch();
        Batches batch = new Batches().add(3, claim(counter));

        BudgetLedger.Answer answer = lane.admit(batch.build(1, before));

        assertThat(answer).isInstanceOf(Replan.class);
        assertThat(fixture.used(counter)).isZero();
        assertThat(fixture.intents()).isEmpty();
        assertThat(admit(2, batch.add(2, claim(counter))).admitted()).containsExactly(2);
    }

    @Test
    void admit_usedNumber_isSupersededAndChargesNothing() {
        Counter counter = counter("b", 10);
        admit(5, new Batches().add(1, claim(counter)));

        BudgetLedger.Answer again =
                lane.admit(new Batches().add(1, claim(counter)).build(5, fixture.epoch()));
        BudgetLedger.Answer older =
                lane.admit(new Batches().add(1, claim(counter)).build(4, fixture.epoch()));

        assertThat(again).isInstanceOf(Superseded.class);
        assertThat(older).isInstanceOf(Superseded.class);
        assertThat(fixture.used(counter)).isEqualTo(1);
    }

    @Test
    void admit_fencedIncarnation_isSupersededOnEveryLane() {
        Counter counter = counter("b", 10);
        try (BudgetLedger other = fixture.lane(1)) {
            fixture.fence();

            assertThat(lane.admit(new Batches().add(1, claim(counter)).build(1, fixture.epoch())))
                    .isInstanceOf(Superseded.class);
            assertThat(other.admit(new Batches().add(1, claim(counter)).build(1, fixture.epoch())))
                    .isInstanceOf(Superseded.class);
        }
        assertThat(fixture.used(counter)).isZero();
    }

    @Test
    void admit_lanesAreNumberedEachByItself() {
        Counter counter = counter("b", 10);
        try (BudgetLedger other = fixture.lane(1)) {
            admit(9, new Batches().add(1, claim(counter)));

            assertThat(
                            decided(
                                            other.admit(
                                                    new Batches()
                                                            .add(2, claim(counter))
                                                            .build(1, fixture.epoch())))
                                    .admitted())
                    .containsExactly(2);
        }
        assertThat(fixture.used(counter)).isEqualTo(3);
    }

    @Test
    void lane_openedAgain_knowsItsLastNumber() {
        admit(7, new Batches().add(1, Claim.NONE));

        try (BudgetLedger again = fixture.lane(0)) {
            assertThat(again.lastSeq()).isEqualTo(7);
        }
    }

    @Test
    void resolve_batchWasApplied_givesBackOnceAndJournalsIt() {
        Counter counter = used("b", 10, 2);
        Counter tight = counter("tight", 3);
        Batches batch = new Batches().add(4, claim(counter, tight)).add(2, claim(counter));
        Batch sent = batch.build(lane.lastSeq() + 1, fixture.epoch());
        decided(lane.admit(sent));

        BudgetLedger.Resolution first = lane.resolve(sent);
        BudgetLedger.Resolution second = lane.resolve(sent);

        assertThat(first).isEqualTo(new Resolved(true));
        assertThat(second).isEqualTo(new Resolved(false));
        assertThat(fixture.used(counter)).isEqualTo(2);
        assertThat(fixture.used(tight)).isZero();
        assertThat(fixture.unsent())
                .containsExactlyInAnyOrder(
                        batch.call(0), batch.call(1), batch.call(2), batch.call(4), batch.call(5));
    }

    @Test
    void resolve_shadowWasCountedInPart_givesBackThatPart() {
        Counter shadow = shadow("watched", 3);
        admit(1, new Batches().add(1, claim(shadow)));
        Batch sent = new Batches().add(5, claim(shadow)).build(2, fixture.epoch());
        decided(lane.admit(sent));

        lane.resolve(sent);

        assertThat(fixture.used(shadow)).isEqualTo(1);
    }

    @Test
    void resolve_batchNeverArrived_keepsItFromArrivingLater() {
        Counter counter = counter("b", 10);
        Batch sent = new Batches().add(4, claim(counter)).build(1, fixture.epoch());

        BudgetLedger.Resolution resolution = lane.resolve(sent);

        assertThat(resolution).isEqualTo(new Resolved(false));
        assertThat(lane.admit(sent)).isInstanceOf(Superseded.class);
        assertThat(fixture.used(counter)).isZero();
        assertThat(fixture.unsent()).isEmpty();
    }

    @Test
    void resolve_windowIsOver_leavesTheNewOneAlone() {
        Counter counter = counter("b", 10);
        Batch sent = new Batches().add(4, claim(counter)).build(1, fixture.epoch());
        long index = decided(lane.admit(sent)).levels().getFirst().index();
        fixture.plant(counter, index + 1, 6);

        lane.resolve(sent);

        assertThat(fixture.used(counter)).isEqualTo(6);
    }

    @Test
    void resolve_replannedBatch_hasNothingToGiveBack() {
        Counter counter = used("b", 10, 3);
        Batch sent =
                new Batches().add(2, claim(counter)).build(lane.lastSeq() + 1, fixture.epoch() + 1);
        assertThat(lane.admit(sent)).isInstanceOf(Replan.class);

        assertThat(lane.resolve(sent)).isEqualTo(new Resolved(false));
        assertThat(fixture.used(counter)).isEqualTo(3);
    }

    @Test
    void resolve_fencedIncarnation_isSupersededAndKeepsTheUnits() {
        Counter counter = counter("b", 10);
        Batch sent = new Batches().add(4, claim(counter)).build(1, fixture.epoch());
        decided(lane.admit(sent));
        fixture.fence();

        assertThat(lane.resolve(sent)).isInstanceOf(Superseded.class);
        assertThat(fixture.used(counter)).isEqualTo(4);
    }

    @Test
    void giveBack_sameWindow_returnsUnitsOnceAndJournalsCalls() {
        Counter counter = counter("b", 10);
        Batches batch = new Batches().add(4, claim(counter));
        Decided decided = admit(1, batch);
        Settlement units =
                new Settlement(
                        2,
                        5_000,
                        List.of(new Refund(counter, decided.levels().getFirst().index(), 3)),
                        List.of(new Unsent(batch.call(1), decided.atMicros())));

        BudgetLedger.Return first = lane.settle(units);
        BudgetLedger.Return second = lane.settle(units);

        assertThat(first).isInstanceOf(Returned.class);
        assertThat(second).isInstanceOf(Returned.class);
        assertThat(fixture.used(counter)).isEqualTo(1);
        assertThat(fixture.unsent()).containsExactly(batch.call(1));
    }

    @Test
    void giveBack_otherWindow_returnsNothing() {
        Counter counter = counter("b", 10);
        Decided decided = admit(1, new Batches().add(4, claim(counter)));
        long index = decided.levels().getFirst().index();

        lane.settle(
                new Settlement(2, 5_000, List.of(new Refund(counter, index - 1, 3)), List.of()));

        assertThat(fixture.used(counter)).isEqualTo(4);
    }

    @Test
    void giveBack_fencedIncarnation_isSupersededAndKeepsTheUnits() {
        Counter counter = counter("b", 10);
        Decided decided = admit(1, new Batches().add(4, claim(counter)));
        fixture.fence();
        long index = decided.levels().getFirst().index();

        BudgetLedger.Return answer =
                lane.settle(
                        new Settlement(
                                2, 5_000, List.of(new Refund(counter, index, 3)), List.of()));

        assertThat(answer).isInstanceOf(Superseded.class);
        assertThat(fixture.used(counter)).isEqualTo(4);
    }

    @Test
    void admit_namesOfEveryKind_areCountedApart() {
        Budget perAgent =
                new Budget(
                        "agents",
                        Unit.CALLS,
                        5,
                        Batches.LONG,
                        java.util.Set.of(Dimension.TENANT, Dimension.AGENT),
                        null,
                        null,
                        Mode.ENFORCE);
        Counter plain = Counter.of(perAgent, Batches.subject("a'b\\\"{},NULL"), false);
        Counter emoji = Counter.of(perAgent, Batches.subject("köln \uD83D\uDE00"), false);
        Counter empty = Counter.of(perAgent, Batches.subject(""), false);

        Decided decided =
                admit(
                        1,
                        new Batches()
                                .add(1, claim(plain))
                                .add(2, claim(emoji))
                                .add(3, claim(empty)));

        assertThat(decided.admitted()).containsExactly(1, 2, 3);
        assertThat(fixture.used(plain)).isEqualTo(1);
        assertThat(fixture.used(emoji)).isEqualTo(2);
        assertThat(fixture.used(empty)).isEqualTo(3);
    }

    /** Replay with -Dpenstock.seed=N. */
    @Test
    void history_random_agreesWithTheModel() {
        Long given = Long.getLong("penstock.seed");
        for (int round = 0;
                round < (given == null ? Depth.of("penstock.histories", 6, 100) : 1);
                round++) {
            long seed = given == null ? LedgerHistory.newSeed() : given;
            try (LedgerFixture fresh = open()) {
                new LedgerHistory(seed, fresh).run(40);
            } catch (AssertionError e) {
                throw new AssertionError("with -Dpenstock.seed=" + seed, e);
            }
        }
    }
}

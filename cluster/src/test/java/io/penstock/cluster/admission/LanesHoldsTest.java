package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Charge;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.InMemoryLedger;
import io.penstock.budget.Mode;
import io.penstock.budget.Price;
import io.penstock.budget.Settlement.Fate;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.admission.Admission.Spent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls hold, over the in-memory ledger: no hold is ever forgotten or ended twice. */
@Timeout(120)
final class LanesHoldsTest {
    private static final Window.Fixed DAY = new Window.Fixed(86_400_000_000L);
    private static final Subject BOB = new Subject("t", "bob", "s", "tool", null);
    private static final Counter CALLS = counter("calls", Unit.CALLS, 100, DAY);
    private static final Counter TOKENS = counter("tokens", Unit.TOKENS, 1_000, DAY);
    private static final Counter SLOTS = counter("slots", Unit.CONCURRENCY, 3, new Window.Open());
    private static final long CLOCK_MICROS = 1_800_000_000_000_000L;

    private final ModelLedger model = new ModelLedger(new InMemoryLedger(() -> CLOCK_MICROS));
    private final FixedControl control = new FixedControl(1, List.of());
    private final List<Lanes> opened = new ArrayList<>();

    private static Counter counter(String name, Unit unit, long limit, Window window) {
        return new Counter(
                name,
                new Budget(name, unit, limit, window, Set.of(), null, null, Mode.ENFORCE),
                false);
    }

    private static Claim claim(long tokens) {
        return new Claim(
                List.of(
                        new Charge(CALLS, 1),
                        new Charge(TOKENS, tokens, Charge.Kind.METERED, price(tokens)),
                        new Charge(SLOTS, 1, Charge.Kind.SLOT, null)));
    }

    private static Price price(long most) {
        return new Price(
                null,
                null,
                Unit.TOKENS,
                new Price.Measured(most, new Price.ResultPointer("/usage"), 1));
    }

    private Lanes start(LaneOpener opener, int lanesMax) {
        Lanes lanes =
                new Lanes(
                        new LanesConfig(Duration.ofSeconds(10), 1_000, lanesMax),
                        opener,
                        control,
                        AdmissionListener.NONE,
                        () -> {},
                        System::nanoTime);
        opened.add(lanes);
        lanes.start();
        return lanes;
    }

    @AfterEach
    void end() {
        opened.forEach(Lanes::close);
    }

    private Verdict admit(Lanes lanes, Claim claim) {
        return lanes.admit(
                new AdmissionRequest(
                        UUID.randomUUID(),
                        BOB,
                        claim,
                        "tools/call",
                        control.view().current(),
                        60_000,
                        System.nanoTime()));
    }

    private Verdict.Admitted admitted(Lanes lanes, long tokens) {
        Verdict verdict = admit(lanes, claim(tokens));
        assertThat(verdict).isInstanceOf(Verdict.Admitted.class);
        return (Verdict.Admitted) verdict;
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it never came true");
            }
            Thread.sleep(2);
        }
    }

    private void awaitNoHolds() throws InterruptedException {
        await(() -> model.ledger.holds() == 0);
    }

    @Test
    void admit_withHolds_namesThem() {
        Verdict.Admitted call = admitted(start(model, 1), 400);

        assertThat(call.holds())
                .extracting(hold -> hold.counter().budget().name())
                .containsExactly("tokens", "slots");
        assertThat(model.ledger.holds()).isEqualTo(2);
        assertThat(model.ledger.held(TOKENS)).isEqualTo(400);
    }

    @Test
    void settle_lessThanHeld_givesTheRestBackAndFreesTheSlot() throws Exception {
        Lanes lanes = start(model, 1);

        lanes.settle(admitted(lanes, 400), List.of(new Spent(TOKENS, 150)));

        awaitNoHolds();
        assertThat(model.ledger.used(TOKENS)).isEqualTo(150);
        assertThat(model.ledger.used(SLOTS)).isZero();
        assertThat(model.ledger.used(CALLS)).isEqualTo(1);
        assertThat(model.ledger.ended())
                .extracting(InMemoryLedger.Ended::fate)
                .containsExactly(Fate.SETTLED);
    }

    @Test
    void settle_moreThanHeld_isAnOverrun() throws Exception {
        Lanes lanes = start(model, 1);

        lanes.settle(admitted(lanes, 400), List.of(new Spent(TOKENS, 401)));

        awaitNoHolds();
        assertThat(model.ledger.used(TOKENS)).isEqualTo(401);
        assertThat(model.ledger.ended())
                .extracting(InMemoryLedger.Ended::fate)
                .containsExactly(Fate.OVERRUN);
    }

    @Test
    void settle_amountNotKnown_isInFull() throws Exception {
        Lanes lanes = start(model, 1);

        lanes.settle(admitted(lanes, 400), List.of());

        awaitNoHolds();
        assertThat(model.ledger.used(TOKENS)).isEqualTo(400);
        assertThat(model.ledger.used(SLOTS)).isZero();
        assertThat(model.ledger.ended())
                .extracting(InMemoryLedger.Ended::fate)
                .containsExactly(Fate.IN_FULL);
    }

    @Test
    void giveBack_withHolds_returnsEverything() throws Exception {
        Lanes lanes = start(model, 1);

        lanes.giveBack(admitted(lanes, 400));

        awaitNoHolds();
        assertThat(model.ledger.used(TOKENS)).isZero();
        assertThat(model.ledger.used(SLOTS)).isZero();
        assertThat(model.ledger.used(CALLS)).isZero();
        assertThat(model.ledger.unsent()).hasSize(1);
    }

    @Test
    void settle_afterGiveBackOrTwice_countsOnce() throws Exception {
        Lanes lanes = start(model, 1);
        Verdict.Admitted unsent = admitted(lanes, 100);
        Verdict.Admitted sent = admitted(lanes, 100);

        lanes.giveBack(unsent);
        lanes.settle(unsent, List.of(new Spent(TOKENS, 99)));
        lanes.settle(sent, List.of(new Spent(TOKENS, 7)));
        lanes.settle(sent, List.of(new Spent(TOKENS, 50)));
        lanes.giveBack(sent);

        awaitNoHolds();
        lanes.close();
        assertThat(model.ledger.used(TOKENS)).isEqualTo(7);
        assertThat(model.ledger.used(CALLS)).isEqualTo(1);
        assertThat(model.ledger.unsent()).hasSize(1);
    }

    @Test
    void settle_thenClose_theLedgerHearsOfAll() {
        Lanes lanes = start(model, 1);
        List<Verdict.Admitted> calls = List.of(admitted(lanes, 1), admitted(lanes, 1));

        calls.forEach(call -> lanes.settle(call, List.of()));
        lanes.close();

        assertThat(model.ledger.holds()).isZero();
    }

    @Test
    void admit_unitsOnlyHeld_saysSoAndIsNotRemembered() throws Exception {
        Lanes lanes = start(model, 1);
        Verdict.Admitted first = admitted(lanes, 900);

        Verdict refused = admit(lanes, claim(200));
        lanes.settle(first, List.of(new Spent(TOKENS, 10)));
        awaitNoHolds();

        assertThat(refused)
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class,
                        e -> {
                            assertThat(e.onlyHeld()).isTrue();
                            assertThat(e.concurrency()).isFalse();
                        });
        assertThat(admit(lanes, claim(200))).isInstanceOf(Verdict.Admitted.class);
    }

    @Test
    void admit_unitsSpent_isNotOnlyHeld() throws Exception {
        Lanes lanes = start(model, 1);
        lanes.settle(admitted(lanes, 900), List.of());
        awaitNoHolds();

        assertThat(admit(lanes, claim(200)))
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class, e -> assertThat(e.onlyHeld()).isFalse());
    }

    @Test
    void admit_noSlotFree_isConcurrency() {
        Lanes lanes = start(model, 1);
        for (int i = 0; i < 3; i++) {
            admitted(lanes, 1);
        }

        assertThat(admit(lanes, claim(1)))
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class,
                        e -> {
                            assertThat(e.concurrency()).isTrue();
                            assertThat(e.onlyHeld()).isTrue();
                        });
    }

    @Test
    void admit_unpriced_isRefusedWithoutALedger() {
        Lanes lanes = start(model, 1);

        Verdict verdict = admit(lanes, new Claim(List.of(), TOKENS.budget()));

        assertThat(verdict).isEqualTo(new Verdict.Unpriced(TOKENS.budget()));
        assertThat(model.batches.get()).isZero();
    }

    @Test
    void settle_answerLostForEver_givesUpAndAdmitsOn() throws Exception {
        model.afterReturn = _ -> new BudgetLedger.Failed("the test refused it", false);
        Lanes lanes = start(model, 1);

        lanes.settle(admitted(lanes, 1), List.of());

        await(() -> model.returns.get() == 5);
        assertThat(admit(lanes, claim(1))).isInstanceOf(Verdict.Admitted.class);
        assertThat(model.returns.get()).isEqualTo(5);
    }

    @Test
    void offer_queueFull_isCountedOnce() {
        EndedCalls ended = new EndedCalls(1);
        AdmissionRequest request =
                new AdmissionRequest(
                        UUID.randomUUID(), BOB, claim(1), "m", control.view().current(), 1, 1);
        WaitingCall call = new WaitingCall(request, 1, Thread.currentThread());

        assertThat(ended.offer(call)).isTrue();
        assertThat(ended.offer(call)).isFalse();

        assertThat(ended.dropped()).isEqualTo(1);
        assertThat(ended.dropped()).isZero();
    }

    /**
     * A failure at every place in turn. Afterwards nothing is held, no slot is taken, and what is
     * used is what was settled: a refused caller paid nothing, an admitted one exactly once.
     */
    @ParameterizedTest
    @EnumSource
    void everything_nthRequestFails_nothingLeaksAndNothingCountsTwice(FailingLedger.Where where)
            throws Exception {
        boolean failed = true;
        for (int nth = 1; failed; nth++) {
            assertThat(nth).isLessThan(100);
            failed = runWithFailure(nth, where);
        }
    }

    private boolean runWithFailure(int nth, FailingLedger.Where where) throws Exception {
        ModelLedger fresh = new ModelLedger(new InMemoryLedger(() -> CLOCK_MICROS));
        FailingLedger failing = new FailingLedger(fresh, nth, where);
        Lanes lanes = start(failing, 1);
        AtomicInteger sent = new AtomicInteger();
        for (int i = 0; i < 5; i++) {
            if (!(admit(lanes, claim(50)) instanceof Verdict.Admitted call)) {
                continue;
            }
            if (i % 2 == 0) {
                sent.incrementAndGet();
                lanes.settle(call, List.of(new Spent(TOKENS, 20)));
            } else {
                lanes.giveBack(call);
            }
            await(() -> fresh.ledger.holds() == 0);
        }
        lanes.close();
        assertThat(fresh.ledger.holds()).as("holds, failure %d", nth).isZero();
        assertThat(fresh.ledger.held(TOKENS)).as("held, failure %d", nth).isZero();
        assertThat(fresh.ledger.used(SLOTS)).as("slots, failure %d", nth).isZero();
        assertThat(fresh.ledger.used(CALLS)).as("calls, failure %d", nth).isEqualTo(sent.get());
        assertThat(fresh.ledger.used(TOKENS))
                .as("tokens, failure %d", nth)
                .isEqualTo(20L * sent.get());
        return failing.failed();
    }
}

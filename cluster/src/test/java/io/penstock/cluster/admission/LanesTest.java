package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Budget;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Dimension;
import io.penstock.budget.InMemoryLedger;
import io.penstock.budget.Mode;
import io.penstock.budget.Standing;
import io.penstock.budget.Subject;
import io.penstock.budget.Unit;
import io.penstock.budget.Window;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.KeyRing;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.control.Scope;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.Stop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes over the in-memory ledger: threads are real, time is real, the database is not. */
@Timeout(30)
final class LanesTest {
    private static final Window.Fixed DAY = new Window.Fixed(86_400_000_000L);
    private static final Subject BOB = new Subject("t", "bob", "s", "tool", null);
    private static final long CLOCK_MICROS = 1_800_000_000_000_000L;

    private final ModelLedger model = new ModelLedger(new InMemoryLedger(() -> CLOCK_MICROS));
    private final AtomicInteger over = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private FixedControl control = new FixedControl(1, List.of(budget("b", 10)));

    @SuppressWarnings("NullAway.Init") // by start()
    private Lanes lanes;

    private static Budget budget(String name, long limit, Dimension... per) {
        return new Budget(name, Unit.CALLS, limit, DAY, Set.of(per), null, null, Mode.ENFORCE);
    }

    /** Nobody's deadline comes while the test runs, however slow the machine. */
    private void start(int lanesMax, int queue, Budget... budgets) {
        start(Duration.ofSeconds(10), lanesMax, queue, budgets);
    }

    private void startImpatient(int lanesMax, int queue) {
        start(Duration.ofMillis(400), lanesMax, queue);
    }

    private void start(Duration deadline, int lanesMax, int queue, Budget... budgets) {
        if (budgets.length > 0) {
            control = new FixedControl(1, List.of(budgets));
        }
        lanes =
                new Lanes(
                        new LanesConfig(deadline, queue, lanesMax),
                        model,
                        control,
                        AdmissionListener.NONE,
                        over::incrementAndGet,
                        System::nanoTime);
        lanes.start();
    }

    @AfterEach
    void end() {
        lanes.close();
        threads.shutdownNow();
    }

    private AdmissionRequest request(Subject subject, Snapshot state) {
        return new AdmissionRequest(
                UUID.randomUUID(),
                subject,
                claim(subject, state),
                "tools/call",
                state,
                60_000,
                System.nanoTime());
    }

    private static Claim claim(Subject subject, Snapshot state) {
        return state.rules().budgets().claim(subject, Mode.ENFORCE);
    }

    private Verdict admit() {
        return lanes.admit(request(BOB, control.view().current()));
    }

    private Future<Verdict> admitLater() {
        AdmissionRequest request = request(BOB, control.view().current());
        return threads.submit(() -> lanes.admit(request));
    }

    private Counter counter() {
        return claim(BOB, control.view().current()).charges().getFirst().counter();
    }

    private long used() {
        return model.ledger.used(counter());
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

    private static Snapshot state(long epoch, long revision, List<Budget> budgets, Stop... stops) {
        return new Snapshot(
                epoch,
                new Rules(revision, budgets, Map.of("s", Mode.ENFORCE), Duration.ofSeconds(1)),
                List.of(stops),
                List.of(),
                KeyRing.EMPTY,
                System.nanoTime() + FixedControl.HOUR_NANOS);
    }

    private void publishOnRefresh(Snapshot next) {
        control.onRefresh(() -> ControlStates.publish(control.view(), next));
    }

    @Test
    void admit_enoughLeft_isAdmittedAndSaysWhatIsLeft() {
        start(1, 100);

        Verdict verdict = admit();

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Admitted.class,
                        admitted -> {
                            assertThat(admitted.epoch()).isEqualTo(1);
                            assertThat(admitted.admittedMicros()).isEqualTo(CLOCK_MICROS);
                            assertThat(admitted.standings())
                                    .containsExactly(
                                            new Standing(
                                                    counter(),
                                                    9,
                                                    DAY.endsInMicros(
                                                            DAY.index(CLOCK_MICROS), CLOCK_MICROS),
                                                    0));
                        });
        assertThat(model.ledger.intents()).hasSize(1);
    }

    @Test
    void admit_manyCallers_admitsExactlyTheLimit() throws Exception {
        start(4, 10_000, budget("b", 700));
        List<Future<Verdict>> verdicts = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            verdicts.add(admitLater());
        }

        int admitted = 0;
        for (Future<Verdict> verdict : verdicts) {
            admitted += verdict.get() instanceof Verdict.Admitted ? 1 : 0;
        }

        assertThat(admitted).isEqualTo(700);
        assertThat(used()).isEqualTo(700);
        assertThat(model.ledger.intents()).hasSize(700);
    }

    @Test
    void admit_budgetUsedUp_isRefusedWithoutAskingTheLedgerAgain() {
        start(1, 100, budget("wide", 100), budget("b", 1));
        admit();

        Verdict first = admit();
        int batches = model.batches.get();
        Verdict second = admit();

        assertThat(first).isInstanceOf(Verdict.Exhausted.class);
        assertThat(second)
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class,
                        e -> {
                            assertThat(e.exhausted().counter().budget().name()).isEqualTo("b");
                            assertThat(e.exhausted().remaining()).isZero();
                            assertThat(e.exhausted().withheld()).isEqualTo(1);
                        });
        assertThat(model.batches.get()).isEqualTo(batches);
    }

    @Test
    void admit_severalBudgets_namesTheOneThatRefused() {
        start(1, 100, budget("wide", 100), budget("none", 0));

        Verdict verdict = admit();

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class,
                        e -> {
                            assertThat(e.exhausted().counter().budget().name()).isEqualTo("none");
                            assertThat(e.standings()).hasSize(2);
                            assertThat(e.standings().getFirst().remaining()).isEqualTo(100);
                            assertThat(e.standings().getFirst().withheld()).isZero();
                        });
    }

    @Test
    void admit_shadowUsedUp_isAdmittedAndSaysSo() {
        start(1, 100, new Budget("w", Unit.CALLS, 1, DAY, Set.of(), null, null, Mode.SHADOW));

        Verdict first = admit();
        Verdict second = admit();

        assertThat(((Verdict.Admitted) first).standings().getFirst().wouldRefuse()).isFalse();
        assertThat(((Verdict.Admitted) second).standings().getFirst().wouldRefuse()).isTrue();
    }

    @Test
    void admit_ledgerDoesNotAnswer_isRefusedAtTheDeadlineAndLateUnitsGoBack() throws Exception {
        startImpatient(1, 100);
        ModelLedger.Hold hold = model.hold(true);

        long began = System.nanoTime();
        Verdict verdict = admit();
        long tookMillis = (System.nanoTime() - began) / 1_000_000;

        assertThat(verdict).isInstanceOf(Verdict.Unavailable.class);
        assertThat(tookMillis).isBetween(395L, 5_000L);
        assertThat(used()).isEqualTo(1);
        hold.release();
        await(() -> used() == 0);
        assertThat(model.ledger.unsent()).isEqualTo(model.ledger.intents());
    }

    @Test
    void admit_arrivedLongAgo_isRefusedWithoutALedger() {
        startImpatient(1, 100);
        Snapshot state = control.view().current();
        AdmissionRequest old =
                new AdmissionRequest(
                        UUID.randomUUID(),
                        BOB,
                        claim(BOB, state),
                        "tools/call",
                        state,
                        60_000,
                        System.nanoTime() - 360_000_000L);

        assertThat(lanes.admit(old)).isInstanceOf(Verdict.Unavailable.class);
        assertThat(model.batches.get()).isZero();
    }

    @Test
    void admit_queueIsFull_isOverloadedAtOnce() throws Exception {
        start(1, 5);
        ModelLedger.Hold hold = model.hold(false);
        List<Future<Verdict>> waiting = new ArrayList<>();
        waiting.add(admitLater());
        hold.awaitReached();
        for (int i = 0; i < 5; i++) {
            waiting.add(admitLater());
        }
        await(() -> lanes.waiting() == 5);

        assertThat(admit()).isInstanceOf(Verdict.Overloaded.class);
        hold.release();
        for (Future<Verdict> verdict : waiting) {
            assertThat(verdict.get()).isInstanceOf(Verdict.Admitted.class);
        }
    }

    @Test
    void admit_answerLostAfterCommit_isRefusedAndUndoneFirst() {
        start(1, 100);
        loseOneAnswer();

        Verdict lost = admit();
        Verdict next = admit();

        assertThat(lost).isInstanceOf(Verdict.Unavailable.class);
        assertThat(next).isInstanceOf(Verdict.Admitted.class);
        assertThat(used()).isEqualTo(1);
        assertThat(model.ledger.intents()).hasSize(2);
        assertThat(model.ledger.unsent()).hasSize(1);
        assertThat(model.opened.get()).isEqualTo(2);
    }

    private void loseOneAnswer() {
        AtomicInteger left = new AtomicInteger(1);
        model.after =
                answer ->
                        left.getAndDecrement() > 0
                                ? new BudgetLedger.Unknown("the test lost it")
                                : answer;
    }

    @Test
    void admit_epochWasRaised_isJudgedAgainAndAdmittedUnderTheNewOne() {
        start(1, 100);
        model.ledger.raiseEpoch();
        publishOnRefresh(state(2, 1, List.of(budget("b", 10))));

        Verdict verdict = admit();

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Admitted.class, a -> assertThat(a.epoch()).isEqualTo(2));
        assertThat(control.refreshes.get()).isEqualTo(1);
    }

    @Test
    void admit_stopCameInBetween_isRefusedAndChargesNothing() {
        start(1, 100);
        model.ledger.raiseEpoch();
        Stop stop = ControlStates.stop(new Scope.Agent("t", "bob"), 2, false);
        publishOnRefresh(state(2, 1, List.of(budget("b", 10)), stop));

        Verdict verdict = admit();

        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        r -> assertThat(r.judgement()).isEqualTo(new Judgement.Stopped(stop)));
        assertThat(used()).isZero();
    }

    @Test
    void admit_stopIsKnownButCallWasJudgedBefore_neverReachesTheLedger() {
        start(1, 100);
        AdmissionRequest before = request(BOB, control.view().current());
        Stop stop = ControlStates.stop(new Scope.All(), 2, false);
        ControlStates.publish(control.view(), state(2, 1, List.of(budget("b", 10)), stop));

        assertThat(lanes.admit(before)).isInstanceOf(Verdict.Refused.class);
        assertThat(model.batches.get()).isZero();
    }

    @Test
    void admit_newRevisionInBetween_asksTheNewBudgets() {
        start(1, 100, budget("b", 10));
        model.ledger.raiseEpoch();
        publishOnRefresh(state(2, 2, List.of(budget("b", 10), budget("new", 0))));

        assertThat(admit())
                .isInstanceOfSatisfying(
                        Verdict.Exhausted.class,
                        e -> assertThat(e.exhausted().counter().budget().name()).isEqualTo("new"));
    }

    @Test
    void admit_epochCannotBeLearned_isRefusedAfterThreeMoreTries() {
        start(1, 100);
        model.ledger.raiseEpoch();

        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        assertThat(model.batches.get()).isEqualTo(4);
        assertThat(used()).isZero();
    }

    @Test
    void admit_lateBatch_isTriedAgain() {
        start(1, 100);
        AtomicInteger late = new AtomicInteger(2);
        model.before = () -> {};
        model.after = answer -> late.getAndDecrement() > 0 ? new BudgetLedger.Late(1_000) : answer;

        assertThat(admit()).isInstanceOf(Verdict.Admitted.class);
        assertThat(model.batches.get()).isEqualTo(3);
    }

    @Test
    void admit_ledgerRefusesToWork_isRefusedAndTheLaneGoesOn() {
        start(1, 100);
        AtomicInteger failures = new AtomicInteger(1);
        model.after =
                answer ->
                        failures.getAndDecrement() > 0
                                ? new BudgetLedger.Failed("the test", true)
                                : answer;

        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        assertThat(admit()).isInstanceOf(Verdict.Admitted.class);
        assertThat(model.opened.get()).isEqualTo(2);
    }

    @Test
    void admit_incarnationIsFenced_isRefusedForGoodAndSaidOnce() throws Exception {
        start(2, 100);
        model.ledger.fence();

        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        await(() -> over.get() == 1);
    }

    @Test
    void start_databaseComesLater_callsAreRefusedThenAdmitted() throws Exception {
        model.refusal = new SQLException("no database", "08001");
        startImpatient(1, 100);
        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        assertThat(lanes.connected()).isFalse();

        model.refusal = null;

        await(lanes::connected);
        await(() -> admit() instanceof Verdict.Admitted);
    }

    @Test
    void admit_noDatabaseForLong_theQueueDoesNotFillUpForGood() throws Exception {
        model.refusal = new SQLException("no database", "08001");
        startImpatient(1, 10);
        List<Future<Verdict>> refused = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            refused.add(admitLater());
        }
        for (Future<Verdict> verdict : refused) {
            assertThat(verdict.get()).isInstanceOf(Verdict.Unavailable.class);
        }

        await(() -> lanes.waiting() == 0);
        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
    }

    @Test
    void admit_oneLaneIsStuck_anotherStandsIn() throws Exception {
        startImpatient(2, 100);
        ModelLedger.Hold hold = new ModelLedger.Hold();
        AtomicInteger first = new AtomicInteger(1);
        model.before =
                () -> {
                    if (first.getAndDecrement() > 0) {
                        hold.here();
                    }
                };

        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
        await(() -> admit() instanceof Verdict.Admitted);
        hold.release();
        await(() -> model.ledger.unsent().size() >= 1);
    }

    @Test
    void admit_callerIsInterrupted_returnsAtOnceAndUnitsGoBack() throws Exception {
        start(1, 100);
        ModelLedger.Hold hold = model.hold(true);
        AdmissionRequest request = request(BOB, control.view().current());
        Future<Boolean> caller =
                threads.submit(
                        () -> {
                            Thread self = Thread.currentThread();
                            threads.submit(
                                    () -> {
                                        hold.awaitReached();
                                        self.interrupt();
                                        return null;
                                    });
                            Verdict verdict = lanes.admit(request);
                            return verdict instanceof Verdict.Unavailable && Thread.interrupted();
                        });

        assertThat(caller.get()).isTrue();
        hold.release();
        await(() -> used() == 0 && !model.ledger.unsent().isEmpty());
    }

    @Test
    void giveBack_twice_returnsTheUnitOnce() throws Exception {
        start(1, 100);
        Verdict.Admitted one = (Verdict.Admitted) admit();
        admit();

        lanes.giveBack(one);
        lanes.giveBack(one);

        await(() -> used() == 1);
        admit();
        assertThat(used()).isEqualTo(2);
        assertThat(model.ledger.unsent()).hasSize(1);
    }

    @Test
    void giveBack_answerLost_isRepeatedUnderItsNumberAndReturnsOnce() throws Exception {
        start(1, 100);
        Verdict.Admitted one = (Verdict.Admitted) admit();
        admit();
        AtomicInteger losses = new AtomicInteger(2);
        model.afterReturn =
                answer ->
                        losses.getAndDecrement() > 0
                                ? new BudgetLedger.Unknown("the test lost it")
                                : answer;

        lanes.giveBack(one);

        await(() -> model.returns.get() == 3);
        admit();
        assertThat(used()).isEqualTo(2);
    }

    @Test
    void giveBack_refusedByTheLedger_isTriedUnderAnotherNumber() throws Exception {
        start(1, 100);
        Verdict.Admitted one = (Verdict.Admitted) admit();
        AtomicInteger failures = new AtomicInteger(1);
        model.afterReturn =
                answer ->
                        failures.getAndDecrement() > 0
                                ? new BudgetLedger.Failed("the test", false)
                                : answer;

        lanes.giveBack(one);

        await(() -> model.returns.get() == 2);
    }

    @Test
    void close_callersWait_areRefusedAndUnitsToReturnGoBack() throws Exception {
        start(1, 100);
        Verdict.Admitted unsent = (Verdict.Admitted) admit();
        ModelLedger.Hold hold = model.hold(false);
        Future<Verdict> inFlight = admitLater();
        hold.awaitReached();
        Future<Verdict> waiting = admitLater();
        await(() -> lanes.waiting() == 1);
        lanes.giveBack(unsent);

        Future<?> closing = threads.submit(lanes::close);
        assertThat(waiting.get()).isInstanceOf(Verdict.Unavailable.class);
        hold.release();
        closing.get();

        assertThat(inFlight.get()).isNotNull();
        assertThat(model.ledger.unsent()).isNotEmpty();
        assertThat(admit()).isInstanceOf(Verdict.Unavailable.class);
    }
}

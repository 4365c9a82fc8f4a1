package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The judge of the end-to-end test sees each way in which a limit can be missed. */
final class ExactnessJudgeTest {
    private static final int LIMIT = 100;
    private static final int WINDOWS = 3;
    private static final long SECOND = 1_000_000;
    private static final long START = 1_000 * SECOND + 400_000;

    private final List<ExactnessJudge.Offered> offered = new ArrayList<>();
    private final List<UUID> arrivals = new ArrayList<>();
    private final List<ExactnessJudge.Intent> intents = new ArrayList<>();

    /**
     * Five times the limit, evenly, from within a window; the first of each second are admitted.
     */
    ExactnessJudgeTest() {
        int[] admitted = new int[8];
        for (int i = 0; i < 5 * LIMIT * (WINDOWS + 2); i++) {
            long at = START + i * SECOND / (5 * LIMIT);
            UUID call = new UUID(at / SECOND, i);
            int window = (int) (at / SECOND - START / SECOND);
            boolean admit = admitted[window]++ < LIMIT;
            offered.add(
                    new ExactnessJudge.Offered(
                            call, admit ? "admitted" : "budget-exhausted", at, at + 2_000));
            if (admit) {
                intents.add(new ExactnessJudge.Intent(call, at + 1_000));
                arrivals.add(call);
            }
        }
    }

    @Test
    void judge_limitKept_findsNothing() {
        ExactnessJudge.Verdict verdict = judge();

        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.disturbances()).isEmpty();
        assertThat(verdict.arrived().values()).containsOnly(LIMIT);
    }

    @Test
    void judge_oneOver_isAViolation() {
        answer(refusedIn(1_002), "admitted", 1_002);

        assertThat(judge().violations()).containsExactly("window 1002 has 101 of 100");
    }

    @Test
    void judge_oneOverWhileOthersAreUndecided_isAViolation() {
        answer(refusedIn(1_002), "admitted", 1_002);
        redecide(refusedIn(1_002), "ledger-unavailable");

        assertThat(judge().violations()).containsExactly("window 1002 has 101 of 100");
    }

    /** The clock that was read before the lock puts a call in the window before. */
    @Test
    void judge_intentInTheWindowBefore_isAViolation() {
        UUID moved = arrivals.get(LIMIT);
        intents.removeIf(intent -> intent.call().equals(moved));
        intents.add(new ExactnessJudge.Intent(moved, 1_000 * SECOND + 999_999));

        assertThat(judge().violations())
                .containsExactlyInAnyOrder(
                        "window 1000 has 101 of 100",
                        "window 1001 has 99 of 100, though nothing but the budget refused a call");
    }

    @Test
    void judge_oneUnitLost_isAViolation() {
        lose(1_002);

        assertThat(judge().violations())
                .containsExactly(
                        "window 1002 has 99 of 100, though nothing but the budget refused a call");
    }

    @Test
    void judge_windowWithoutACall_isAViolation() {
        for (int i = 0; i < LIMIT; i++) lose(1_003);

        assertThat(judge().violations())
                .containsExactly(
                        "window 1003 has 0 of 100, though nothing but the budget refused a call");
    }

    @Test
    void judge_oneUnitLostWhereACallIsUndecided_isADisturbance() {
        lose(1_002);
        redecide(refusedIn(1_002), "control-stale");

        ExactnessJudge.Verdict verdict = judge();

        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.disturbances())
                .containsExactly(
                        "window 1002 has 99 of 100, and 1 calls could not be decided",
                        "1 calls could not be decided");
    }

    @Test
    void judge_undecidedInAnotherWindow_excusesNothing() {
        lose(1_003);
        redecide(refusedIn(1_001), "control-stale");

        assertThat(judge().violations()).hasSize(1);
    }

    @Test
    void judge_tooFewOffered_isADisturbance() {
        offered.removeIf(
                call ->
                        call.departed() / SECOND == 1_002
                                && call.decision().equals("budget-exhausted"));
        lose(1_002);

        ExactnessJudge.Verdict verdict = judge();

        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.disturbances())
                .containsExactly("window 1002 has 99 of 100, and only 100 calls were offered");
    }

    @Test
    void judge_arrivalThatNobodyIntended_isAViolation() {
        intents.remove(LIMIT);

        assertThat(judge().violations())
                .anySatisfy(violation -> assertThat(violation).contains("without an intent"));
    }

    @Test
    void judge_arrivalThatIsRepeated_isAViolation() {
        arrivals.add(arrivals.get(7));

        assertThat(judge().violations()).singleElement().asString().contains("arrived twice");
    }

    @Test
    void judge_intentThatIsRepeated_isAViolation() {
        intents.add(intents.get(7));

        assertThat(judge().violations()).singleElement().asString().contains("has two intents");
    }

    @Test
    void judge_refusalThatArrived_isAViolation() {
        redecide(arrivals.get(LIMIT), "ledger-unavailable");

        assertThat(judge().violations())
                .singleElement()
                .asString()
                .contains("was answered ledger-unavailable and arrived");
    }

    @Test
    void judge_admittedThatDidNotArrive_isAViolation() {
        arrivals.remove(LIMIT);

        assertThat(judge().violations())
                .anySatisfy(v -> assertThat(v).contains("admitted and did not arrive"));
    }

    @Test
    void judge_anotherRefusal_isAViolation() {
        redecide(refusedIn(1_001), "stopped");

        assertThat(judge().violations()).singleElement().asString().contains("answered stopped");
    }

    private ExactnessJudge.Verdict judge() {
        return ExactnessJudge.judge(
                LIMIT, WINDOWS, new ExactnessJudge.History(offered, arrivals, intents));
    }

    private UUID refusedIn(long window) {
        return in(window, "budget-exhausted");
    }

    private UUID in(long window, String decision) {
        return offered.stream()
                .filter(call -> call.departed() / SECOND == window)
                .filter(call -> call.decision().equals(decision))
                .findFirst()
                .orElseThrow()
                .call();
    }

    private void lose(long window) {
        UUID call = in(window, "admitted");
        redecide(call, "budget-exhausted");
        arrivals.remove(call);
        intents.removeIf(intent -> intent.call().equals(call));
    }

    private void answer(UUID call, String decision, long window) {
        redecide(call, decision);
        arrivals.add(call);
        intents.add(new ExactnessJudge.Intent(call, window * SECOND + 500_000));
    }

    private void redecide(UUID call, String decision) {
        offered.replaceAll(
                old ->
                        old.call().equals(call)
                                ? new ExactnessJudge.Offered(
                                        call, decision, old.departed(), old.answered())
                                : old);
    }
}

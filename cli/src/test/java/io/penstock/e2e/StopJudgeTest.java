package io.penstock.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The judge of the end-to-end test sees each way in which a stop can fail to hold. */
final class StopJudgeTest {
    private static final long ORDERED = 1_000_000_000;
    private static final long CONFIRMED = 1_050_000_000;

    private final List<OpenLoop.Sent> sent = new ArrayList<>();
    private final List<StopJudge.Arrived> arrivals = new ArrayList<>();

    /** Calls each 4 ms; those that leave 10 ms after the order and later are stopped. */
    StopJudgeTest() {
        for (int i = 0; i < 500; i++) {
            long at = i * 4_000_000L;
            boolean admit = at < ORDERED + 10_000_000;
            add("call-" + i, admit ? "admitted" : "stopped", at);
        }
    }

    @Test
    void violations_stopThatHolds_none() {
        assertThat(violations()).isEmpty();
    }

    @Test
    void violations_arrivalAfterTheConfirmation_isOne() {
        arrivals.set(3, new StopJudge.Arrived("call-3", CONFIRMED + 1_000, false));

        assertThat(violations())
                .containsExactly("call call-3 arrived 1 us after the confirmed stop");
    }

    @Test
    void violations_callAdmittedAfterTheConfirmation_isTwo() {
        add("late", "admitted", CONFIRMED + 5_000_000);

        assertThat(violations())
                .hasSize(2)
                .anySatisfy(v -> assertThat(v).contains("late arrived"))
                .anySatisfy(v -> assertThat(v).contains("late was admitted after"));
    }

    @Test
    void violations_refusalThatArrived_isOne() {
        sent.add(new OpenLoop.Sent("unsure", "control-stale", 5, 6));
        arrivals.add(new StopJudge.Arrived("unsure", 5, false));

        assertThat(violations())
                .containsExactly("call unsure arrived and was answered control-stale");
    }

    @Test
    void violations_callCutUnderWay_isNone() {
        sent.add(new OpenLoop.Sent("cut", "stopped", ORDERED - 10, ORDERED + 10));
        arrivals.add(new StopJudge.Arrived("cut", ORDERED - 5, false));

        assertThat(violations()).isEmpty();
    }

    @Test
    void violations_callAdmittedThatDidNotArrive_isOne() {
        arrivals.removeFirst();

        assertThat(violations()).containsExactly("call call-0 was answered admitted, not arrived");
    }

    @Test
    void violations_arrivalThatIsRepeated_isOne() {
        arrivals.add(arrivals.getFirst());

        assertThat(violations()).containsExactly("call call-0 arrived twice");
    }

    @Test
    void violations_arrivalThatNobodySent_isOne() {
        arrivals.add(new StopJudge.Arrived("stray", 5, false));

        assertThat(violations()).containsExactly("call stray arrived and was answered null");
    }

    @Test
    void violations_stoppedBeforeTheOrder_isOne() {
        sent.add(new OpenLoop.Sent("early", "stopped", 5, 6));

        assertThat(violations()).containsExactly("call early was stopped before anybody said so");
    }

    @Test
    void violations_anotherRefusal_isOne() {
        sent.add(new OpenLoop.Sent("odd", "blocked", ORDERED, ORDERED + 6));

        assertThat(violations()).containsExactly("call odd was answered blocked");
    }

    @Test
    void violations_loadThatEndedWithTheStop_isOne() {
        sent.removeIf(call -> call.departed() > CONFIRMED + 200_000_000);

        assertThat(violations())
                .containsExactly("only 50 calls were offered after the confirmation");
    }

    private void add(String call, String decision, long at) {
        sent.add(new OpenLoop.Sent(call, decision, at, at + 1_000_000));
        if (decision.equals("admitted"))
            arrivals.add(new StopJudge.Arrived(call, at + 500_000, false));
    }

    private List<String> violations() {
        return StopJudge.violations(new StopJudge.History(ORDERED, CONFIRMED, sent, arrivals));
    }
}

package io.penstock.cluster.admission;

import io.penstock.budget.Claim;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.ControlStates;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Test;

/** A lane, the deadline and the caller race to answer: one wins, and all see the same answer. */
public class WaitingCallRaceTest {
    private final WaitingCall call =
            new WaitingCall(
                    new AdmissionRequest(
                            new UUID(0, 1),
                            new Subject("t", "a", "s", "o", null),
                            Claim.NONE,
                            "m",
                            ControlStates.clear(1, List.of(), Map.of(), 0),
                            60_000,
                            0),
                    0,
                    Thread.currentThread());

    /** Made by the checker for each run. */
    public WaitingCallRaceTest() {}

    @Operation
    public boolean lane() {
        return call.answer(Verdict.Overloaded.INSTANCE);
    }

    @Operation
    public boolean deadline() {
        return call.answer(Verdict.Unavailable.INSTANCE);
    }

    @Operation
    public boolean answered() {
        return call.answered();
    }

    @Operation
    public boolean claimEnd() {
        return call.claimEnd();
    }

    @Test
    void answer_everyInterleaving_oneWins() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(2)
                .iterations(6)
                .invocationsPerIteration(150)
                .check(WaitingCallRaceTest.class);
    }
}

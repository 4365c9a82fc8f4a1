package io.penstock.cluster.admission;

import io.penstock.budget.Claim;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Every interleaving of callers that push and lanes that take must look like some order of them:
 * nobody lost, nobody twice, oldest first. A take without the exchange (get, then set to null) was
 * seen to fail here.
 */
@Param(name = "id", gen = IntGen.class, conf = "1:9")
public class WaitingCallsRaceTest {
    private static final Snapshot STATE = ControlStates.clear(1, List.of(), Map.of(), 0);

    private final WaitingCalls calls = new WaitingCalls(1_000);

    /** Made by the checker for each run. */
    public WaitingCallsRaceTest() {}

    @Operation
    public String push(@Param(name = "id") int id) {
        AdmissionRequest request =
                new AdmissionRequest(
                        new UUID(0, id),
                        new Subject("t", "a", "s", "o", null),
                        Claim.NONE,
                        "m",
                        STATE,
                        60_000,
                        0);
        return calls.push(new WaitingCall(request, id * 10L, Thread.currentThread())).name();
    }

    @Operation
    public List<Long> takeTwo() {
        WaitingCall[] taken = new WaitingCall[2];
        return ids(taken, calls.take(taken, 0));
    }

    @Operation
    public List<Long> takeAll() {
        WaitingCall[] taken = new WaitingCall[20];
        return ids(taken, calls.take(taken, 0));
    }

    /** Those below 5 are over. */
    @Operation
    public void expire() {
        calls.expire(49);
    }

    private static List<Long> ids(WaitingCall[] taken, int count) {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(taken[i].intent.call().getLeastSignificantBits());
        }
        return ids;
    }

    @Test
    void pushAndTake_everyInterleaving_isLinearizable() {
        new ModelCheckingOptions()
                .threads(3)
                .actorsPerThread(3)
                .iterations(10)
                .invocationsPerIteration(250)
                .check(WaitingCallsRaceTest.class);
    }

    @Test
    void pushAndTake_underStress_isLinearizable() {
        new StressOptions()
                .threads(3)
                .actorsPerThread(3)
                .iterations(10)
                .invocationsPerIteration(250)
                .check(WaitingCallsRaceTest.class);
    }
}

package io.penstock.cluster.admission;

import io.penstock.budget.Claim;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What combining costs a call: making it, the push onto the stack of those that wait, its share of
 * taking them all, and its answer. Nobody is parked here: what a virtual thread's park and wake-up
 * cost is in the figures of the whole ledger.
 *
 * <p>Run by {@code docs/internals/jmh.sh}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CombinerBenchmark {
    private static final int CALLS = 1_024;
    private static final Snapshot STATE = ControlStates.clear(1, List.of(), Map.of(), 0);
    private static final Subject SUBJECT = new Subject("t", "a", "s", "o", null);

    private final WaitingCalls calls = new WaitingCalls(1_000_000);

    /** One thread's own. */
    @State(Scope.Thread)
    public static class Taker {
        private final WaitingCall[] taken = new WaitingCall[CALLS];
        private final WaitingCall.Wake wake = new WaitingCall.Wake();

        /** Made by JMH. */
        public Taker() {}
    }

    /** Made by JMH. */
    public CombinerBenchmark() {}

    private static WaitingCall call() {
        AdmissionRequest request =
                new AdmissionRequest(
                        new UUID(1, 2), SUBJECT, Claim.NONE, "tools/call", STATE, 60_000, 0);
        return new WaitingCall(request, Long.MAX_VALUE, Thread.currentThread());
    }

    @Benchmark
    public Object call_made() {
        return call();
    }

    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int pushAndTake_oneThread(Taker own) {
        return pushAndTake(own);
    }

    /** Both push onto the same stack, and each takes what is there. */
    @Benchmark
    @Threads(2)
    @OperationsPerInvocation(CALLS)
    public int pushAndTake_twoThreads(Taker own) {
        return pushAndTake(own);
    }

    private int pushAndTake(Taker own) {
        for (int i = 0; i < CALLS; i++) {
            calls.push(call());
        }
        return calls.take(own.taken, 0);
    }

    /** Pushed, taken, and answered in rows. */
    @Benchmark
    @OperationsPerInvocation(CALLS)
    public int pushTakeAndAnswer(Taker own) {
        int count = pushAndTake(own);
        for (int i = 0; i < count; i++) {
            own.wake.answer(own.taken[i], Verdict.Unavailable.INSTANCE);
        }
        own.wake.finish();
        return count;
    }
}

package io.penstock.budget;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the pure algebra costs a call: its claim, the look-up of used-up counters, and the batch it
 * joins. Sliding windows and rates are decided by the ledger's SQL; here their twin in the tests is
 * timed, which is exact and dull, not quick.
 *
 * <p>Run by {@code docs/internals/jmh.sh}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class AlgebraBenchmark {
    private static final int SUBJECTS = 2 * BudgetSet.CLAIMS_MAX;

    private final BudgetSet budgets =
            new BudgetSet(
                    List.of(
                            budget("shared", Set.of(), new Window.Fixed(1_000_000)),
                            budget(
                                    "tenant",
                                    Set.of(Dimension.TENANT),
                                    new Window.Sliding(60_000_000)),
                            budget(
                                    "agent",
                                    Set.of(Dimension.TENANT, Dimension.AGENT),
                                    new Window.Rate(1_000_000, 20))));
    private final Subject known = new Subject("acme", "crawler", "files", "read", null);
    private final List<Subject> strangers = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Intent intent = new Intent(new UUID(1, 2), known, "tools/call");
    private final BatchBuilder builder = new BatchBuilder();
    private final DenialMemory denials = new DenialMemory();
    private final Window.Fixed fixed = new Window.Fixed(1_000_000);
    private final CounterRow slidingRow = new CounterRow();
    private final CounterRow rateRow = new CounterRow();
    private Claim claim = Claim.NONE;
    private int next;
    private long micros = 1_800_000_000_000_000L;
    private long seq;

    /** Made by JMH. */
    public AlgebraBenchmark() {}

    private static Budget budget(String name, Set<Dimension> per, Window window) {
        return new Budget(
                name,
                Unit.CALLS,
                1_000_000,
                window,
                per,
                null,
                null,
                io.penstock.budget.Mode.ENFORCE);
    }

    @Setup
    public void prepare() {
        for (int i = 0; i < SUBJECTS; i++) {
            strangers.add(new Subject("acme", "agent-" + i, "files", "read", null));
        }
        for (int i = 0; i < 16; i++) {
            claims.add(claim(strangers.get(i)));
        }
        claim = claim(known);
        Counter other =
                claim(new Subject("other", "x", "files", "read", null)).charges().get(1).counter();
        denials.learn(other, 1, new BudgetLedger.Level(1, 0, 1, 0, 3_600_000_000L), true, 0);
    }

    private Claim claim(Subject subject) {
        return budgets.claim(subject, io.penstock.budget.Mode.ENFORCE);
    }

    @Benchmark
    public Claim claim_knownSubject() {
        return claim(known);
    }

    /** Made anew each time: more subjects than are remembered. */
    @Benchmark
    public Claim claim_strangeSubject() {
        next = next + 1 == SUBJECTS ? 0 : next + 1;
        return claim(strangers.get(next));
    }

    /** Three counters, none of which is used up while another one is. */
    @Benchmark
    public boolean refusal_nothingUsedUp() {
        return denials.refusal(claim, 1, 1) == null;
    }

    /** 1,024 calls of 16 claims. */
    @Benchmark
    public Batch batch_full() {
        for (int i = 0; i < Batch.CALLS_MAX; i++) {
            builder.add(claims.get(i & 15), intent, 60_000);
        }
        return builder.build(++seq, 1, 100);
    }

    @Benchmark
    public Batch batch_oneCall() {
        builder.add(claim, intent, 60_000);
        return builder.build(++seq, 1, 100);
    }

    @Benchmark
    public long window_fixed() {
        micros += 7;
        long index = fixed.index(micros);
        return index + fixed.endsInMicros(index, micros);
    }

    @Benchmark
    public long twin_sliding() {
        return judged(slidingRow, claim.charges().get(1).counter());
    }

    @Benchmark
    public long twin_rate() {
        return judged(rateRow, claim.charges().get(2).counter());
    }

    private long judged(CounterRow row, Counter counter) {
        micros += 7;
        row.turn(counter, micros);
        long room = row.room(counter, micros);
        if (room > 0) {
            row.charge(counter, 1, micros);
        }
        return room;
    }
}

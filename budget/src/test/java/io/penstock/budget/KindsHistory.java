package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.BudgetLedger.Answer;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Settlement.Fate;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Settled;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A random course of events over counters of every kind, with a clock that jumps: the same for a
 * ledger and for the model, whose every answer must agree.
 */
final class KindsHistory {
    private static final long SECOND = 1_000_000;
    private static final List<Window> WINDOWS =
            List.of(
                    new Window.Fixed(SECOND),
                    new Window.Fixed(7 * SECOND),
                    new Window.Calendar(Window.Calendar.Span.DAY, ZoneId.of("Europe/Berlin")),
                    new Window.Sliding(SECOND),
                    new Window.Sliding(10 * SECOND),
                    new Window.Rate(SECOND, 7),
                    new Window.Rate(333_333, 20),
                    new Window.Lifetime(),
                    new Window.Session(2 * SECOND),
                    new Window.Open());

    private final SplittableRandom random;
    private final ClockedFixture fixture;
    private long now;
    private final InMemoryLedger model = new InMemoryLedger(() -> now);
    private final List<Counter> counters = new ArrayList<>();
    private final BudgetLedger subject;
    private final BudgetLedger twin;
    private long seq;
    private @Nullable Batch last;
    private final List<Settled> open = new ArrayList<>();
    private final List<Refund> refundable = new ArrayList<>();

    KindsHistory(long seed, ClockedFixture fixture, long start) {
        random = new SplittableRandom(seed);
        this.fixture = fixture;
        now = start;
        fixture.setClock(now);
        subject = fixture.lane(0);
        twin = model.lane(0);
        while (model.epoch() < fixture.epoch()) {
            model.raiseEpoch();
        }
        for (int i = 0; i < WINDOWS.size(); i++) {
            counters.add(counter(i, random.nextInt(0, 60)));
        }
    }

    private Counter counter(int number, long limit) {
        Window window = WINDOWS.get(number);
        boolean shadow = random.nextInt(5) == 0;
        Unit unit = window instanceof Window.Open ? Unit.CONCURRENCY : Unit.TOKENS;
        Budget budget =
                new Budget(
                        "b" + number,
                        unit,
                        limit,
                        window,
                        Set.of(),
                        null,
                        null,
                        shadow ? Mode.SHADOW : Mode.ENFORCE);
        return Counter.of(budget, Batches.subject("a"), shadow);
    }

    void run(int steps) {
        try (subject) {
            for (int i = 0; i < steps; i++) {
                step();
                compare();
            }
        }
    }

    private void step() {
        switch (random.nextInt(12)) {
            case 0 -> jump(random.nextLong(3 * SECOND));
            case 1 -> jump(random.nextLong(30_000));
            case 2 -> jump(-random.nextLong(SECOND));
            case 3 -> resolve();
            case 4, 5 -> settle();
            case 6 -> refund();
            case 7 -> otherLimit();
            default -> admit();
        }
    }

    private void jump(long micros) {
        now += micros;
        fixture.setClock(now);
    }

    private void otherLimit() {
        int number = random.nextInt(counters.size());
        Counter old = counters.get(number);
        counters.set(
                number, new Counter(old.key(), old.budget(), old.shadow(), random.nextInt(60)));
    }

    private Claim claim() {
        List<Charge> charges = new ArrayList<>();
        for (Counter counter : counters) {
            if (random.nextInt(4) == 0) {
                boolean slot = counter.budget().unit() == Unit.CONCURRENCY;
                long amount = slot ? 1 : random.nextInt(1, 6);
                Charge.Kind kind =
                        slot
                                ? Charge.Kind.SLOT
                                : random.nextBoolean() ? Charge.Kind.METERED : Charge.Kind.PLAIN;
                charges.add(new Charge(counter, amount, kind, null));
            }
        }
        return new Claim(charges);
    }

    private void admit() {
        Batches calls = new Batches();
        List<Claim> claims = new ArrayList<>();
        for (int g = random.nextInt(1, 5); g > 0; g--) {
            Claim claim = claim();
            int count = random.nextInt(1, 6);
            calls.add(count, claim);
            for (int c = 0; c < count; c++) {
                claims.add(claim);
            }
        }
        Batch batch = calls.build(++seq, model.epoch());
        last = batch;
        Answer expected = twin.admit(batch);
        Answer actual = subject.admit(batch);
        Decided want = Batches.decided(expected);
        Decided got = Batches.decided(actual);
        assertThat(got.admitted()).isEqualTo(want.admitted());
        assertThat(got.atMicros()).isEqualTo(want.atMicros());
        for (int d = 0; d < want.levels().size(); d++) {
            Counter counter = batch.demands().get(d).counter();
            assertThat(got.levels().get(d)).as(counter.key()).isEqualTo(want.levels().get(d));
        }
        for (int c = 0; c < claims.size(); c++) {
            Batch.Place place = batch.places().get(c);
            if (place.rank() < want.admitted()[place.group()]) {
                remember(calls.call(c), claims.get(c), batch, want);
            }
        }
    }

    private void remember(UUID call, Claim claim, Batch batch, Decided decided) {
        for (Charge charge : claim.charges()) {
            Level level = level(charge.counter(), batch, decided);
            if (charge.held()) {
                open.add(new Settled(call, charge.counter(), charge.amount(), Fate.SETTLED));
            } else if (level.charged() > 0) {
                refundable.add(new Refund(charge.counter(), level.index(), charge.amount()));
            }
        }
    }

    private static Level level(Counter counter, Batch batch, Decided decided) {
        for (int d = 0; d < batch.demands().size(); d++) {
            if (batch.demands().get(d).counter().key().equals(counter.key())) {
                return decided.levels().get(d);
            }
        }
        throw new AssertionError(counter.key());
    }

    private void settle() {
        List<Settled> holds = new ArrayList<>();
        for (int i = random.nextInt(1, 5); i > 0 && !open.isEmpty(); i--) {
            Settled hold = open.get(random.nextInt(open.size()));
            if (random.nextInt(4) > 0) {
                open.remove(hold);
            }
            boolean slot = hold.counter().budget().unit() == Unit.CONCURRENCY;
            Fate fate = slot ? Fate.RELEASED : Fate.values()[random.nextInt(4)];
            long actual =
                    switch (fate) {
                        case SETTLED -> random.nextLong(hold.actual() + 1);
                        case IN_FULL, RELEASED -> 0;
                        case OVERRUN -> hold.actual() + random.nextInt(1, 9);
                    };
            if (holds.stream().noneMatch(h -> same(h, hold))) {
                holds.add(new Settled(hold.call(), hold.counter(), actual, fate));
            }
        }
        both(new Settlement(++seq, 5_000, List.of(), List.of(), holds));
    }

    private static boolean same(Settled one, Settled other) {
        return one.call().equals(other.call()) && one.counter().key().equals(other.counter().key());
    }

    private void refund() {
        if (!refundable.isEmpty()) {
            Refund refund = refundable.remove(random.nextInt(refundable.size()));
            both(new Settlement(++seq, 5_000, List.of(refund), List.of()));
        }
    }

    private void both(Settlement settlement) {
        assertThat(subject.settle(settlement)).isEqualTo(twin.settle(settlement));
        if (random.nextInt(5) == 0) {
            assertThat(subject.settle(settlement)).isEqualTo(twin.settle(settlement));
        }
    }

    private void resolve() {
        if (last != null) {
            assertThat(subject.resolve(last)).isEqualTo(twin.resolve(last));
            seq = Math.max(seq, last.seq());
        }
    }

    private void compare() {
        assertThat(fixture.holds()).isEqualTo(model.holds());
        for (Counter counter : counters) {
            assertThat(fixture.standing(counter)).isEqualTo(model.standing(counter));
        }
    }
}

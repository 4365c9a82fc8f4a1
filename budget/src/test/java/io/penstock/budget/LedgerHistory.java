package io.penstock.budget;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.BudgetLedger.Answer;
import io.penstock.budget.BudgetLedger.Decided;
import io.penstock.budget.BudgetLedger.Level;
import io.penstock.budget.Settlement.Refund;
import io.penstock.budget.Settlement.Unsent;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;

/** A random course of events, the same for a ledger and for the model, which must agree. */
final class LedgerHistory {
    private static final int LANES = 2;

    private final SplittableRandom random;
    private final LedgerFixture fixture;
    private final InMemoryLedger model = new InMemoryLedger(() -> 1_800_000_000_000_000L);
    private final List<BudgetLedger> subjects = new ArrayList<>();
    private final List<BudgetLedger> models = new ArrayList<>();
    private final long[] seqs = new long[LANES];
    private final List<Counter> counters = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Batch[] last = new Batch[LANES];
    private final List<Refund> refundable = new ArrayList<>();

    LedgerHistory(long seed, LedgerFixture fixture) {
        random = new SplittableRandom(seed);
        this.fixture = fixture;
        for (int lane = 0; lane < LANES; lane++) {
            subjects.add(fixture.lane(lane));
            models.add(model.lane(lane));
        }
        while (model.epoch() < fixture.epoch()) {
            model.raiseEpoch();
        }
        for (int i = 0; i < 6; i++) {
            int limit = random.nextInt(0, 40);
            counters.add(
                    random.nextInt(4) == 0
                            ? Batches.shadow("c" + i, limit)
                            : Batches.counter("c" + i, limit));
        }
        for (int i = 0; i < 8; i++) {
            claims.add(claim());
        }
    }

    private Claim claim() {
        List<Charge> charges = new ArrayList<>();
        for (Counter counter : counters) {
            if (random.nextInt(3) == 0) {
                charges.add(new Charge(counter, random.nextInt(1, 4)));
            }
        }
        return new Claim(charges);
    }

    void run(int steps) {
        try {
            for (int i = 0; i < steps; i++) {
                step(random.nextInt(LANES));
                compareCounters();
            }
            assertThat(fixture.intents()).isEqualTo(model.intents());
            assertThat(fixture.unsent()).isEqualTo(model.unsent());
        } finally {
            subjects.forEach(BudgetLedger::close);
        }
    }

    private void step(int lane) {
        switch (random.nextInt(10)) {
            case 0 -> resolve(lane);
            case 1 -> giveBack(lane);
            case 2 -> {
                fixture.raiseEpoch();
                model.raiseEpoch();
            }
            default -> admit(lane);
        }
    }

    private void admit(int lane) {
        Batches calls = new Batches();
        int groups = random.nextInt(1, 6);
        for (int g = 0; g < groups; g++) {
            calls.add(random.nextInt(1, 8), claims.get(random.nextInt(claims.size())));
        }
        long seq = random.nextInt(12) == 0 ? seqs[lane] : ++seqs[lane];
        long epoch = model.epoch() - (random.nextInt(10) == 0 ? 1 : 0);
        Batch batch = calls.build(seq, epoch);
        Answer expected = models.get(lane).admit(batch);
        Answer actual = subjects.get(lane).admit(batch);
        if (!(expected instanceof Decided decided)) {
            assertThat(actual).isEqualTo(expected);
            return;
        }
        Decided got = Batches.decided(actual);
        assertThat(got.admitted()).isEqualTo(decided.admitted());
        for (int d = 0; d < decided.levels().size(); d++) {
            Level level = got.levels().get(d);
            assertThat(level.left()).isEqualTo(decided.levels().get(d).left());
            assertThat(level.charged()).isEqualTo(decided.levels().get(d).charged());
            if (level.charged() > 0) {
                refundable.add(new Refund(batch.demands().get(d).counter(), level.index(), 1));
            }
        }
        last[lane] = batch;
    }

    private void resolve(int lane) {
        if (last[lane] != null) {
            assertThat(subjects.get(lane).resolve(last[lane]))
                    .isEqualTo(models.get(lane).resolve(last[lane]));
            seqs[lane] = Math.max(seqs[lane], last[lane].seq());
        }
    }

    private void giveBack(int lane) {
        if (refundable.isEmpty()) {
            return;
        }
        Refund refund = refundable.remove(random.nextInt(refundable.size()));
        long modelIndex =
                ((Window.Fixed) refund.counter().budget().window()).index(1_800_000_000_000_000L);
        long seq = random.nextInt(6) == 0 ? seqs[lane] : ++seqs[lane];
        UUID call = UUID.nameUUIDFromBytes(new byte[] {(byte) lane, (byte) seq, (byte) (seq >> 8)});
        List<Unsent> calls = List.of(new Unsent(call, 1_800_000_000_000_000L));
        assertThat(subjects.get(lane).settle(new Settlement(seq, 5_000, List.of(refund), calls)))
                .isEqualTo(
                        models.get(lane)
                                .settle(
                                        new Settlement(
                                                seq,
                                                5_000,
                                                List.of(
                                                        new Refund(
                                                                refund.counter(), modelIndex, 1)),
                                                calls)));
    }

    private void compareCounters() {
        for (Counter counter : counters) {
            assertThat(fixture.used(counter)).as(counter.key()).isEqualTo(model.used(counter));
            if (!counter.shadow()) {
                assertThat(fixture.used(counter)).isLessThanOrEqualTo(counter.budget().limit());
            }
        }
    }

    static long newSeed() {
        return new Random().nextLong();
    }
}

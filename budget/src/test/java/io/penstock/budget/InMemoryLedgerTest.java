package io.penstock.budget;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;

final class InMemoryLedgerTest extends BudgetLedgerContract {

    @Override
    protected LedgerFixture open() {
        return new Fixture();
    }

    /** The other contract, over the same ledger. */
    @Nested
    final class Kinds extends BudgetKindsContract {
        @Override
        protected ClockedFixture openClocked() {
            return new Fixture();
        }
    }

    private static final class Fixture implements ClockedFixture {
        private final AtomicLong clock = new AtomicLong(1_800_000_000_123_456L);
        private final InMemoryLedger ledger = new InMemoryLedger(clock::get);

        @Override
        public BudgetLedger lane(int number) {
            return ledger.lane(number);
        }

        @Override
        public long epoch() {
            return ledger.epoch();
        }

        @Override
        public void raiseEpoch() {
            ledger.raiseEpoch();
        }

        @Override
        public void fence() {
            ledger.fence();
        }

        @Override
        public long used(Counter counter) {
            return ledger.used(counter);
        }

        @Override
        public void plant(Counter counter, long index, long used) {
            ledger.plant(counter, index, used);
        }

        @Override
        public void setClock(long micros) {
            clock.set(micros);
        }

        @Override
        public long held(Counter counter) {
            return ledger.held(counter);
        }

        @Override
        public Standing standing(Counter counter) {
            return ledger.standing(counter);
        }

        @Override
        public int holds() {
            return ledger.holds();
        }

        @Override
        public List<String> ended() {
            return ledger.ended().stream()
                    .map(
                            e ->
                                    e.call()
                                            + " "
                                            + e.budget()
                                            + " "
                                            + e.actual()
                                            + " "
                                            + e.fate().label())
                    .toList();
        }

        @Override
        public Set<UUID> intents() {
            return ledger.intents();
        }

        @Override
        public Set<UUID> unsent() {
            return ledger.unsent();
        }

        @Override
        public void awaitNewWindow(Window.Fixed window) {
            long now = clock.get();
            clock.addAndGet(window.endsInMicros(window.index(now), now));
        }

        @Override
        public void close() {}
    }
}

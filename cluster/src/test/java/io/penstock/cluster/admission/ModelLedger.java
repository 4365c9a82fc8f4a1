package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.InMemoryLedger;
import io.penstock.budget.Settlement;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The in-memory ledger behind lanes, with a hand on the way there and back. */
final class ModelLedger implements LaneOpener {
    final InMemoryLedger ledger;
    final AtomicInteger batches = new AtomicInteger();
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger returns = new AtomicInteger();

    /** Runs before a batch is decided, on the lane's thread. */
    volatile Runnable before = () -> {};

    /** Changes the answer to a batch that was decided. */
    volatile UnaryOperator<BudgetLedger.Answer> after = answer -> answer;

    /** Changes the answer to units given back. */
    volatile UnaryOperator<BudgetLedger.Return> afterReturn = answer -> answer;

    /** Thrown when a lane is opened. */
    volatile @Nullable SQLException refusal;

    ModelLedger(InMemoryLedger ledger) {
        this.ledger = ledger;
    }

    /** Holds the next batch, before or after it is decided, until the latch is released. */
    Hold hold(boolean decided) {
        Hold hold = new Hold();
        if (decided) {
            after =
                    answer -> {
                        hold.here();
                        return answer;
                    };
        } else {
            before = hold::here;
        }
        return hold;
    }

    /** A place where a lane waits. */
    static final class Hold {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final Semaphore go = new Semaphore(0);

        void here() {
            reached.countDown();
            go.acquireUninterruptibly();
        }

        void awaitReached() throws InterruptedException {
            reached.await();
        }

        /** Lets this batch and all later ones go on. */
        void release() {
            go.release(1_000_000);
        }
    }

    @Override
    public LaneLedger open(int lane) throws SQLException {
        SQLException why = refusal;
        if (why != null) {
            throw why;
        }
        opened.incrementAndGet();
        return new Lane(ledger.lane(lane));
    }

    private final class Lane implements LaneLedger {
        private final BudgetLedger model;

        Lane(BudgetLedger model) {
            this.model = model;
        }

        @Override
        public long lastSeq() {
            return model.lastSeq();
        }

        @Override
        public Answer admit(Batch batch) {
            batches.incrementAndGet();
            before.run();
            return after.apply(model.admit(batch));
        }

        @Override
        public Resolution resolve(Batch batch) {
            return model.resolve(batch);
        }

        @Override
        public Return settle(Settlement units) {
            returns.incrementAndGet();
            return afterReturn.apply(model.settle(units));
        }

        @Override
        public void refresh(ControlSource control) {
            ((FixedControl) control).refresh();
        }

        @Override
        public void close() {}
    }
}

package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.BudgetLedger;
import io.penstock.budget.Settlement;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Lanes whose ledger fails once: the n-th thing that is asked of any of them, counting from 1. To
 * go on with n upward until a run was clean tries every place where a failure can come.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class FailingLedger implements LaneOpener {
    private static final Logger LOG = System.getLogger(FailingLedger.class.getName());
    private final LaneOpener opener;
    private final int nth;
    private final Where where;
    private final AtomicInteger asked = new AtomicInteger();

    /** How it fails. */
    enum Where {
        /** Nothing happened, and the caller is told so. */
        REFUSED,
        /** Nothing happened, and the caller cannot know. */
        LOST_BEFORE,
        /** It happened, and the caller cannot know. */
        LOST_AFTER
    }

    FailingLedger(LaneOpener opener, int nth, Where where) {
        this.opener = opener;
        this.nth = nth;
        this.where = where;
    }

    /** Whether the run was long enough to fail. */
    boolean failed() {
        return asked.get() >= nth;
    }

    private <T> T ask(Supplier<? extends T> call, T refused, T unknown) {
        if (asked.incrementAndGet() != nth) {
            return call.get();
        }
        if (where == Where.LOST_AFTER) {
            T lost = call.get();
            LOG.log(Level.DEBUG, "event=answer-lost answer={0}", lost);
        }
        return where == Where.REFUSED ? refused : unknown;
    }

    @Override
    public LaneLedger open(int lane) throws SQLException {
        return new Lane(opener.open(lane));
    }

    private final class Lane implements LaneLedger {
        private final LaneLedger ledger;
        private final BudgetLedger.Failed refused =
                new BudgetLedger.Failed("the test refused it", false);
        private final BudgetLedger.Unknown unknown =
                new BudgetLedger.Unknown("the test lost the answer");

        Lane(LaneLedger ledger) {
            this.ledger = ledger;
        }

        @Override
        public long lastSeq() {
            return ledger.lastSeq();
        }

        @Override
        public Answer admit(Batch batch) {
            return FailingLedger.this.<Answer>ask(() -> ledger.admit(batch), refused, unknown);
        }

        @Override
        public Resolution resolve(Batch batch) {
            return FailingLedger.this.<Resolution>ask(
                    () -> ledger.resolve(batch), refused, unknown);
        }

        @Override
        public Return settle(Settlement units) {
            return FailingLedger.this.<Return>ask(() -> ledger.settle(units), refused, unknown);
        }

        @Override
        public void refresh(ControlSource control) throws SQLException {
            ledger.refresh(control);
        }

        @Override
        public void close() {
            ledger.close();
        }
    }
}

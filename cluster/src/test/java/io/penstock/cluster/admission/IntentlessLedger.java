package io.penstock.cluster.admission;

import io.penstock.budget.Batch;
import io.penstock.budget.Settlement;
import java.sql.SQLException;
import java.util.List;

/** Asks the ledger for decisions alone: batches go on without their intents. */
record IntentlessLedger(LaneLedger ledger) implements LaneLedger {

    @Override
    public long lastSeq() {
        return ledger.lastSeq();
    }

    @Override
    public Answer admit(Batch batch) {
        return ledger.admit(without(batch));
    }

    @Override
    public Resolution resolve(Batch batch) {
        return ledger.resolve(without(batch));
    }

    @Override
    public Return settle(Settlement units) {
        return ledger.settle(units);
    }

    @Override
    public void refresh(ControlSource control) throws SQLException {
        ledger.refresh(control);
    }

    @Override
    public void close() {
        ledger.close();
    }

    private static Batch without(Batch batch) {
        return new Batch(
                batch.seq(),
                batch.epoch(),
                batch.waitMillis(),
                batch.demands(),
                batch.groups(),
                batch.places(),
                List.of(),
                batch.limitMillis());
    }
}

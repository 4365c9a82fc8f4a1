package io.penstock.budget;

import java.util.List;

/** A ledger whose clock the test sets. */
public interface ClockedFixture extends LedgerFixture {

    /** What the ledger's clock says from now on. */
    void setClock(long micros);

    /** Units of a counter that calls in flight hold, as its row has it. */
    long held(Counter counter);

    /** Where a counter stands now; changes nothing. */
    Standing standing(Counter counter);

    /** How many holds are open. */
    int holds();

    /** The metered holds that were settled: {@code call budget actual fate}, in any order. */
    List<String> ended();
}

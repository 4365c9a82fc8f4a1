package io.penstock.budget;

import java.util.Set;
import java.util.UUID;

/** One empty ledger of a contract test, with what a test may do behind its back. */
public interface LedgerFixture extends AutoCloseable {

    /** A lane of the one incarnation there is; a new object each time, as after a reconnect. */
    BudgetLedger lane(int number);

    long epoch();

    void raiseEpoch();

    /** Ends the incarnation. */
    void fence();

    /** What stands in the counter's row, whatever its window; 0 without a row. */
    long used(Counter counter);

    /** Puts a counter into a state. */
    void plant(Counter counter, long index, long used);

    /** Calls whose admission is journaled. */
    Set<UUID> intents();

    /** Calls that are journaled as admitted and not sent. */
    Set<UUID> unsent();

    /** Returns when the window that is now has just begun. */
    void awaitNewWindow(Window.Fixed window);

    @Override
    void close();
}

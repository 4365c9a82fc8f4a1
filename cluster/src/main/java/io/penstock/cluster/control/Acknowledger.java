package io.penstock.cluster.control;

import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is under way in line with the current control state, then tells the database.
 *
 * <p><b>Guarantee.</b> An acknowledgement of an epoch is written only after that state was
 * published, after everything under way was judged by it, and at a moment when no send section of
 * an older state was open.
 *
 * <p><b>Threads.</b> {@link #apply} by any bus thread; {@code applying} lets one in at a time.
 * {@link #step} by the listen thread alone.
 */
final class Acknowledger {
    private static final long QUIET_CHECK_NANOS = 50_000;
    private static final long SECTION_SHARE = 20;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Open counts that only shrink are told this often, and at once when nothing is left. */
    private static final long OPEN_REPORT_NANOS = 100 * NANOS_PER_MILLI;

    /** Tells the database. */
    @FunctionalInterface
    interface Writer {
        void write(Incarnation incarnation, ControlSql.Acknowledgement acknowledgement)
                throws SQLException;
    }

    /** How many calls and streams the last state that cut any has cut. */
    private record Cut(long epoch, int count) {}

    /** What was written last. */
    private record Written(Incarnation by, long epoch, int open, long atNanos) {}

    private final Installer installer;
    private final OpenCalls calls;
    private final LongSupplier ticker;
    private final ReentrantLock applying = new ReentrantLock();
    private @Nullable Snapshot applied;
    private volatile Cut cut = new Cut(0, 0);
    private @Nullable Written written;
    private long closedSendsBefore;

    Acknowledger(Installer installer, OpenCalls calls, LongSupplier ticker) {
        this.installer = installer;
        this.calls = calls;
        this.ticker = ticker;
    }

    /** Judges everything under way by the current state, once. */
    void apply() {
        applying.lock();
        try {
            Snapshot current = installer.view().current();
            if (current == applied) {
                return;
            }
            int now = calls.apply(current);
            if (now > 0) {
                int before = cut.epoch() == current.epoch() ? cut.count() : 0;
                cut = new Cut(current.epoch(), before + now);
            }
            applied = current;
        } finally {
            applying.unlock();
        }
    }

    /**
     * Writes an acknowledgement if there is news.
     *
     * @return whether it wants to be called again soon
     */
    boolean step(Writer writer, Incarnation incarnation, int leaseMillis) throws SQLException {
        Snapshot state = installer.view().current();
        if (state.epoch() == Installer.NOTHING_READ) {
            return false;
        }
        apply();
        Written last = written;
        if (last == null || !last.by().equals(incarnation) || last.epoch() < state.epoch()) {
            if (!awaitQuiet(state, leaseMillis)) {
                return true;
            }
            return write(writer, incarnation, state, calls.openUnder(state));
        }
        if (last.open() == 0) {
            return false;
        }
        int open = calls.openUnder(state);
        long age = ticker.getAsLong() - last.atNanos();
        if (open == 0 || (open != last.open() && age > OPEN_REPORT_NANOS)) {
            return write(writer, incarnation, state, open);
        }
        return true;
    }

    /** The database may have lost what was written last: it is not written durably. */
    void forget() {
        written = null;
    }

    private boolean write(Writer writer, Incarnation incarnation, Snapshot state, int open)
            throws SQLException {
        Cut told = cut;
        writer.write(
                incarnation,
                new ControlSql.Acknowledgement(state.epoch(), told.epoch(), told.count(), open));
        written = new Written(incarnation, state.epoch(), open, ticker.getAsLong());
        return open > 0;
    }

    /** Waits at most twice the length that a send section may have; then sends were closed. */
    private boolean awaitQuiet(Snapshot state, int leaseMillis) {
        long section = leaseMillis * NANOS_PER_MILLI / SECTION_SHARE;
        long started = ticker.getAsLong();
        while (!installer.olderQuiet()) {
            long waited = ticker.getAsLong() - started;
            if (waited >= section && closedSendsBefore < state.epoch()) {
                closedSendsBefore = state.epoch();
                calls.closeSendsBefore(state.epoch());
            }
            if (waited >= 2 * section) {
                return false;
            }
            LockSupport.parkNanos(QUIET_CHECK_NANOS);
        }
        return true;
    }
}

package io.penstock.cluster.journal;

import io.penstock.cluster.postgres.SqlStates;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes what became of calls: outcomes one by one, refusals alone or counted.
 *
 * <p><b>Guarantee.</b> Nothing is lost silently. An outcome that finds its queue full is counted by
 * kind, and the count is journaled, so that intents are always outcomes plus counts plus calls that
 * are open or were open when a replica died. Refusals beyond those that stand alone are journaled
 * as exact counts. A batch whose answer was lost is sent again under the same number, and is
 * applied once. A journal that was closed says so in a row of its own; one without that row ended
 * in the middle, and lost at most its last second of refusals.
 *
 * <p><b>Failure.</b> While the database is away, counts of refusals are kept and joined to longer
 * spans, and outcomes wait up to their bound. Callers notice nothing.
 *
 * <p><b>Threads.</b> {@link #outcome} and {@link #refusal} by any thread, without a lock and
 * without waiting. One platform thread with one connection writes. {@link #close} is idempotent and
 * takes 5 s at most.
 *
 * <p><b>Cost.</b> For the caller a quarter of a microsecond; for the database one transaction for
 * each stream ten times a second, or for each 1,024 entries.
 */
public final class Journal implements AutoCloseable {
    /** Opens the connection that the journal writes over, checked to be the right database. */
    @FunctionalInterface
    public interface Opener {
        Connection open() throws SQLException;
    }

    /**
     * How the journal is doing.
     *
     * @param outcomesWaiting entries in memory
     * @param spansWaiting spans of counted refusals in memory
     * @param outcomesNotKept outcomes that were only counted, since the start
     * @param writing whether the last attempt to write succeeded
     */
    public record Standing(
            int outcomesWaiting, int spansWaiting, long outcomesNotKept, boolean writing) {}

    static final String OPENED = "journal-opened";
    static final String CLOSED = "journal-closed";
    static final String NOT_KEPT = "outcomes-not-kept";

    private static final System.Logger LOG = System.getLogger(Journal.class.getName());
    private static final long RETRY_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long RETRY_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_NANOS_MAX = TimeUnit.SECONDS.toNanos(5);

    private final Opener opener;
    private final UUID id;
    private final Supplier<UUID> incarnation;
    private final JournalLimits limits;
    private final LongSupplier nanos;
    private final Thread thread = Thread.ofPlatform().name("journal").daemon().unstarted(this::run);

    private final Arrivals<Outcome> outcomes;
    private final RefusalTally refusals;
    private final Map<Outcome.Kind, LongAdder> notKept = new EnumMap<>(Outcome.Kind.class);

    // The writing thread's own.
    private final Map<Outcome.Kind, Long> notKeptTold = new EnumMap<>(Outcome.Kind.class);
    private final Deque<Outcome> outcomesTaken = new ArrayDeque<>();
    private final Deque<JournalRow> rowsTaken = new ArrayDeque<>();
    private final Deque<Tally> tallies = new ArrayDeque<>();
    private final Numbered<Outcome> outcomeBatch = new Numbered<>();
    private final Numbered<JournalRow> rowBatch = new Numbered<>();
    private @Nullable Connection connection;
    private long retryNanos = RETRY_NANOS_MIN;

    private volatile boolean closing;
    private volatile boolean writing = true;
    private volatile int spansWaiting;

    /** A batch that was given a number and is not known to be written. */
    private static final class Numbered<T> {
        private long seq;
        private List<T> rows = List.of();

        boolean fill(Deque<T> from, int max) {
            if (rows.isEmpty() && !from.isEmpty()) {
                List<T> next = new ArrayList<>(Math.min(max, from.size()));
                while (next.size() < max && !from.isEmpty()) {
                    next.add(from.removeFirst());
                }
                rows = next;
                seq++;
            }
            return !rows.isEmpty();
        }

        void written() {
            rows = List.of();
        }
    }

    /**
     * @param id a new random one: numbers this journal's batches
     * @param incarnation the replica's now
     * @param nanos the monotonic clock
     */
    public Journal(Opener opener, UUID id, Supplier<UUID> incarnation, LongSupplier nanos) {
        this(opener, id, incarnation, nanos, JournalLimits.DEFAULT);
    }

    Journal(
            Opener opener,
            UUID id,
            Supplier<UUID> incarnation,
            LongSupplier nanos,
            JournalLimits limits) {
        this.opener = opener;
        this.id = id;
        this.incarnation = incarnation;
        this.nanos = nanos;
        this.limits = limits;
        outcomes = new Arrivals<>(limits.outcomesWaitingMax());
        refusals = new RefusalTally(limits, nanos);
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            notKept.put(kind, new LongAdder());
            notKeptTold.put(kind, 0L);
        }
    }

    public void start() {
        rowsTaken.add(JournalRow.control(OPENED, nanos.getAsLong(), 1, null));
        thread.start();
    }

    /** Leaves how an admitted call ended. */
    public void outcome(Outcome outcome) {
        int waiting = outcomes.add(outcome);
        if (waiting == 0) {
            counter(outcome.kind()).increment();
        } else if (waiting == limits.batchMax()) {
            LockSupport.unpark(thread);
        }
    }

    /** Leaves a call that was not let through. */
    public void refusal(RefusalEntry refusal) {
        refusals.count(refusal);
    }

    public Standing standing() {
        long notKeptSum = 0;
        for (LongAdder counter : notKept.values()) {
            notKeptSum += counter.sum();
        }
        return new Standing(outcomes.size(), spansWaiting, notKeptSum, writing);
    }

    /** Writes what is there, says that this journal is complete, and ends. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(CLOSE_NANOS_MAX) + 1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closing) {
            LockSupport.parkNanos(this, writing ? limits.flushNanos() : retryNanos);
            collect(false);
            writeAll();
        }
        writeLast();
        disconnect();
    }

    private void writeLast() {
        long deadline = nanos.getAsLong() + CLOSE_NANOS_MAX;
        boolean said = false;
        while (nanos.getAsLong() - deadline < 0) {
            collect(true);
            if (refusals.settled() && !said) {
                said = true;
                tallies.forEach(this::take);
                tallies.clear();
                rowsTaken.add(JournalRow.control(CLOSED, nanos.getAsLong(), 1, null));
            }
            if (writeAll() && said) {
                return;
            }
            LockSupport.parkNanos(this, RETRY_NANOS_MIN);
        }
        LOG.log(
                Level.WARNING,
                "event=journal-lost outcomes={0} rows={1} reason=\"the database did not take them"
                        + " in time\"",
                outcomesTaken.size() + outcomeBatch.rows.size(),
                rowsTaken.size() + rowBatch.rows.size());
    }

    /** Takes over what callers left, within the bounds. */
    private void collect(boolean early) {
        if (outcomesTaken.size() < limits.batchMax()) {
            outcomesTaken.addAll(outcomes.takeAll());
        }
        if (rowsTaken.size() < limits.singlesWaitingMax()) {
            refusals.singles().forEach(single -> rowsTaken.add(JournalRow.of(single)));
        }
        tallies.addAll(refusals.ended(early));
        while (tallies.size() > limits.talliesMax()) {
            Tally oldest = tallies.removeFirst();
            oldest.absorb(tallies.removeFirst());
            tallies.addFirst(oldest);
        }
        collectNotKept();
        spansWaiting = tallies.size();
    }

    private void collectNotKept() {
        for (Outcome.Kind kind : Outcome.Kind.values()) {
            long sum = counter(kind).sum();
            long told = notKeptTold.getOrDefault(kind, 0L);
            if (sum > told && rowsTaken.size() < limits.singlesWaitingMax()) {
                notKeptTold.put(kind, sum);
                rowsTaken.add(
                        JournalRow.control(NOT_KEPT, nanos.getAsLong(), sum - told, kind.label()));
            }
        }
    }

    /** Whether everything that was collected is written. */
    private boolean writeAll() {
        try {
            writeOutcomes();
            writeRows();
            while (!tallies.isEmpty()) {
                take(tallies.removeFirst());
                writeRows();
            }
            recovered();
            return true;
        } catch (SQLException e) {
            failed(e, SqlStates.connectionUsable(e));
            return false;
        } catch (RuntimeException e) {
            // A bug, or a driver's; whoever comes next shall not find the journal without a writer.
            failed(e, false);
            return false;
        }
    }

    private void take(Tally tally) {
        tally.rows().forEach(row -> rowsTaken.add(JournalRow.of(row, tally.startNanos())));
    }

    private void writeOutcomes() throws SQLException {
        while (outcomeBatch.fill(outcomesTaken, limits.batchMax())) {
            JournalSql.outcomes(connected(), writer(), outcomeBatch.seq, outcomeBatch.rows);
            outcomeBatch.written();
        }
    }

    private void writeRows() throws SQLException {
        while (rowBatch.fill(rowsTaken, limits.batchMax())) {
            JournalSql.refusals(
                    connected(), writer(), rowBatch.seq, rowBatch.rows, nanos.getAsLong());
            rowBatch.written();
        }
    }

    private JournalSql.Writer writer() {
        return new JournalSql.Writer(id, incarnation.get());
    }

    private LongAdder counter(Outcome.Kind kind) {
        LongAdder counter = notKept.get(kind);
        if (counter == null) {
            throw new IllegalStateException("no counter for " + kind);
        }
        return counter;
    }

    private Connection connected() throws SQLException {
        Connection there = connection;
        if (there == null) {
            there = opener.open();
            connection = there;
        }
        return there;
    }

    private void recovered() {
        retryNanos = RETRY_NANOS_MIN;
        if (!writing) {
            writing = true;
            LOG.log(Level.INFO, "event=journal-resumed");
        }
    }

    private void failed(Exception e, boolean connectionUsable) {
        if (!connectionUsable) {
            disconnect();
        }
        if (writing) {
            writing = false;
            LOG.log(
                    Level.WARNING,
                    "event=journal-failing reason=\"{0}\" effect=\"entries wait in memory\"",
                    e.getMessage());
            LOG.log(Level.DEBUG, "event=journal-failing", e);
        }
        retryNanos = Math.min(retryNanos * 2, RETRY_NANOS_MAX);
    }

    private void disconnect() {
        Connection there = connection;
        connection = null;
        if (there != null) {
            try {
                there.close();
            } catch (SQLException e) {
                LOG.log(Level.DEBUG, "journal connection did not close", e);
            }
        }
    }
}

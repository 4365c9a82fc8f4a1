package io.penstock.cluster.membership;

import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.penstock.cluster.control.Incarnation;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.postgres.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Does the housekeeping that one replica of a cluster does for all.
 *
 * <p><b>Guarantee.</b> Each round of a duty runs in a transaction that holds its term, so that two
 * leaders never write at once, whatever was frozen in between. A clean {@link #close} hands over
 * within a second.
 *
 * <p><b>Failure.</b> A round that fails is tried again after its interval; a leader that cannot
 * renew for 10 s stops trying, and another replica takes over after 15 s.
 *
 * <p><b>Threads.</b> Owns one platform thread with one connection. {@link #register} before {@link
 * #start}.
 */
public final class Duties implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Duties.class.getName());
    private static final Duration TICK = Duration.ofMillis(500);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(6);

    /** Rounds of one work before the others get their turn. */
    private static final int ROUNDS_MAX = 20;

    private final Connector connector;
    private final Supplier<Incarnation> incarnation;
    private final LongSupplier ticker;
    private final Terms terms = new Terms();
    private final List<Registered> works = new ArrayList<>();
    private final Semaphore wakes = new Semaphore(0);
    private @Nullable Connection connection;
    private @Nullable Thread thread;
    private boolean failed;
    private volatile boolean closing;

    private static final class Registered {
        final String duty;
        final Duration interval;
        final DutyWork work;
        long nextNanos;

        Registered(String duty, Duration interval, DutyWork work, long nextNanos) {
            this.duty = duty;
            this.interval = interval;
            this.work = work;
            this.nextNanos = nextNanos;
        }
    }

    /** {@code incarnation}: this replica's present life, which may change. */
    public Duties(Connector connector, Supplier<Incarnation> incarnation, LongSupplier ticker) {
        this.connector = connector;
        this.incarnation = incarnation;
        this.ticker = ticker;
    }

    /** Adds work to a duty; one leader does all the work of one duty. */
    public void register(String duty, Duration interval, DutyWork work) {
        if (thread != null) {
            throw new IllegalStateException("duties are registered before they start");
        }
        works.add(new Registered(duty, interval, work, ticker.getAsLong()));
    }

    public void start() {
        Thread t = Thread.ofPlatform().name("penstock-duties").daemon().unstarted(this::run);
        thread = t;
        t.start();
    }

    /** What this replica leads now. */
    public Set<String> leads() {
        return terms.duties();
    }

    /** Stops, and hands over. */
    @Override
    public void close() {
        closing = true;
        wakes.release();
        Thread t = thread;
        try {
            if (t != null && !t.join(CLOSE_WAIT)) {
                LOG.log(WARNING, "event=duties-still-running");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closing) {
            try {
                tend();
                failed = false;
            } catch (SQLException | RuntimeException e) {
                failed(e);
            }
            pause();
        }
        handOver();
    }

    private void tend() throws SQLException {
        Incarnation present = incarnation.get();
        lost(terms.expire(present, ticker.getAsLong()), "not renewed in time");
        Connection c = connected();
        renew(c, present);
        claim(c, present);
        for (Registered registered : works) {
            if (closing) {
                return;
            }
            work(c, registered);
            renew(c, present);
        }
    }

    private void renew(Connection c, Incarnation present) throws SQLException {
        long begun = ticker.getAsLong();
        List<Term> due = terms.due(begun);
        if (!due.isEmpty()) {
            lost(terms.renewed(due, DutySql.renew(c, present, due), begun), "another leads");
        }
    }

    private void claim(Connection c, Incarnation present) throws SQLException {
        Set<String> free = new TreeSet<>();
        works.forEach(w -> free.add(w.duty));
        free.removeAll(terms.duties());
        if (free.isEmpty()) {
            return;
        }
        long begun = ticker.getAsLong();
        for (Term term : DutySql.claim(c, present, free)) {
            terms.won(term, begun);
            LOG.log(INFO, "event=leading duty={0} term={1}", term.duty(), term.number());
        }
    }

    private void work(Connection c, Registered registered) throws SQLException {
        long now = ticker.getAsLong();
        Term term = terms.of(registered.duty);
        if (term == null || now - registered.nextNanos < 0) {
            return;
        }
        registered.nextNanos = now + registered.interval.toNanos();
        try {
            int rounds = 0;
            while (Transactions.run(c, t -> held(t, registered.work, term))
                    && ++rounds < ROUNDS_MAX) {
                renew(c, term.holder());
            }
        } catch (SQLException e) {
            if (!DutySql.termOver(e)) {
                throw e;
            }
            terms.lost(term);
            lost(List.of(term), "another leads");
        }
    }

    private static boolean held(Connection c, DutyWork work, Term term) throws SQLException {
        DutySql.hold(c, term);
        return work.run(c, term);
    }

    private void handOver() {
        terms.clear();
        try {
            DutySql.handOver(connected(), incarnation.get());
        } catch (SQLException | RuntimeException e) {
            LOG.log(WARNING, "event=hand-over-failed reason=\"{0}\"", e.getMessage());
        }
        drop();
    }

    private Connection connected() throws SQLException {
        Connection c = connection;
        if (c == null) {
            c = connector.open(Purpose.POOL);
            connection = c;
        }
        return c;
    }

    private void failed(Exception e) {
        if (!failed) {
            failed = true;
            LOG.log(WARNING, "event=duties-failed reason=\"{0}\"", e.getMessage());
        }
        drop();
    }

    private void drop() {
        Connection c = connection;
        connection = null;
        try {
            if (c != null) {
                c.close();
            }
        } catch (SQLException e) {
            LOG.log(WARNING, "event=connection-close-failed reason=\"{0}\"", e.getMessage());
        }
    }

    private static void lost(List<Term> lost, String reason) {
        for (Term term : lost) {
            LOG.log(
                    WARNING,
                    "event=leading-no-more duty={0} term={1} reason=\"{2}\"",
                    term.duty(),
                    term.number(),
                    reason);
        }
    }

    private void pause() {
        try {
            if (wakes.tryAcquire(TICK.toNanos(), TimeUnit.NANOSECONDS)) {
                wakes.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closing = true;
        }
    }
}

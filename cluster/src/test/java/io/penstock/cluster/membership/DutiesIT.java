package io.penstock.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.control.Await;
import io.penstock.cluster.control.TestReplica;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DutiesIT {
    private static final Duration OFTEN = Duration.ofMillis(1);

    private TestDatabase database;

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = TestDatabase.fresh();
        TestReplica.makeRevision(database);
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void close_ofTheLeader_handsOverBeforeItsTermWouldEnd() throws Exception {
        Queue<String> done = new ConcurrentLinkedQueue<>();
        try (TestReplica a = TestReplica.open("a", database);
                TestReplica b = TestReplica.open("b", database);
                Duties ofB = duties(b)) {
            try (Duties ofA = duties(a)) {
                ofA.register("tidy", OFTEN, noting(done));
                ofB.register("tidy", OFTEN, noting(done));
                ofA.start();
                Await.until("a leads", () -> ofA.leads().contains("tidy"));
                ofB.start();
                Await.until("work is done", () -> done.contains("a 1"));
                assertThat(ofB.leads()).isEmpty();
            }
            long handedOver = System.nanoTime();

            Await.until("b leads", () -> ofB.leads().contains("tidy"));

            // A term lasts 15 s: without the hand-over b could not lead for over 14 s.
            assertThat(Duration.ofNanos(System.nanoTime() - handedOver))
                    .isLessThan(Duration.ofSeconds(9));
            Await.until("b works under the next term", () -> done.contains("b 2"));
            assertThat(done).doesNotContain("b 1", "a 2");
        }
    }

    @Test
    void run_anotherTermBegan_doesNothingAndStopsLeading() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (TestReplica a = TestReplica.open("a", database);
                Duties duties = duties(a)) {
            duties.register(
                    "tidy",
                    OFTEN,
                    (connection, term) -> {
                        runs.incrementAndGet();
                        return false;
                    });
            duties.start();
            Await.until("works", () -> runs.get() > 0);
            run(
                    "update penstock.duty set until = clock_timestamp() + interval '1 hour',"
                            + " term = term + 1, incarnation = gen_random_uuid()");
            // The update waited for the round that held the term; none can begin after it.
            int before = runs.get();

            Await.until("stops leading", () -> duties.leads().isEmpty());
            assertThat(runs).hasValue(before);
        }
    }

    @Test
    void sweep_deadIncarnation_isFencedThenClosed() throws Exception {
        try (TestReplica a = TestReplica.open("a", database);
                Duties duties = duties(a)) {
            run(
                    "insert into penstock.replica (replica, incarnation, state, started_at,"
                        + " beat_at, lease_ms, epoch, version, data_address, admin_address,"
                        + " config_hash, calls_per_second, degraded) select 'dead',"
                        + " gen_random_uuid(), 'open', t, t, 1000, 1, '', '', '', '', 0, false from"
                        + " (select now() - interval '1 minute' as t) as x");
            duties.register(ControlSweep.DUTY, OFTEN, new ControlSweep(System::nanoTime));
            duties.start();

            Await.until(
                    "is closed",
                    () ->
                            count(
                                            "select count(*) from penstock.replica where replica ="
                                                    + " 'dead' and state = 'closed'")
                                    == 1);
            assertThat(count("select count(*) from penstock.registered")).isEqualTo(1);
        }
    }

    /** A clock of the database that stepped may have fenced it while its lease still runs. */
    @Test
    void sweep_fencedIncarnation_isClosedAfterItsLeaseOnTheSweepersClock() throws Exception {
        AtomicLong nanos = new AtomicLong();
        AtomicInteger rounds = new AtomicInteger();
        try (TestReplica a = TestReplica.open("a", database);
                Duties duties = duties(a)) {
            run(
                    "insert into penstock.replica (replica, incarnation, state, started_at,"
                        + " beat_at, lease_ms, epoch, version, data_address, admin_address,"
                        + " config_hash, calls_per_second, degraded) values ('b',"
                        + " gen_random_uuid(), 'fenced', now(), now(), 5000, 1, '', '', '', '', 0,"
                        + " false)");
            duties.register(ControlSweep.DUTY, OFTEN, new ControlSweep(nanos::get));
            duties.register(
                    ControlSweep.DUTY, OFTEN, (connection, term) -> rounds.incrementAndGet() < 0);
            duties.start();
            Await.until("was swept often", () -> rounds.get() > 3);
            nanos.addAndGet(Duration.ofMillis(4999).toNanos());
            int before = rounds.get();
            Await.until("was swept often", () -> rounds.get() > before + 2);
            assertThat(count("select count(*) from penstock.registered where replica = 'b'"))
                    .isEqualTo(1);

            nanos.addAndGet(Duration.ofMillis(1).toNanos());

            Await.until(
                    "is closed",
                    () ->
                            count("select count(*) from penstock.registered where replica = 'b'")
                                    == 0);
        }
    }

    @Test
    void work_failing_doesNotKeepTheOthersFromTheirTurn() throws Exception {
        AtomicInteger good = new AtomicInteger();
        try (TestReplica a = TestReplica.open("a", database);
                Duties duties = duties(a)) {
            duties.register(
                    "tidy",
                    Duration.ofHours(1),
                    (connection, term) -> {
                        throw new SQLException("no", "22000");
                    });
            duties.register(
                    "tidy",
                    OFTEN,
                    (connection, term) -> {
                        good.incrementAndGet();
                        return false;
                    });
            duties.start();

            Await.until("the other works", () -> good.get() > 1);
        }
    }

    private static DutyWork noting(Queue<String> done) {
        return (connection, term) -> {
            done.add(term.holder().replica() + " " + term.number());
            return false;
        };
    }

    private Duties duties(TestReplica replica) {
        return new Duties(
                new Connector(database.gateway()), replica.bus()::incarnation, System::nanoTime);
    }

    private void run(String sql) throws SQLException {
        try (Connection c = database.connectAsOwner();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection c = database.connectAsOwner();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            r.next();
            return r.getLong(1);
        }
    }
}

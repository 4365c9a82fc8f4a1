package io.penstock.cluster.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Subject;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.testing.TestDatabase;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalIT {
    private static final UUID INCARNATION = new UUID(7, 7);
    private static final long ADMITTED = 1_780_000_000_000_000L;

    @Test
    void outcome_many_eachIsARow() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            Connector gateway = new Connector(database.gateway());
            Journal journal = journal(() -> gateway.open(Purpose.JOURNAL), JournalLimits.DEFAULT);
            journal.start();
            for (int i = 0; i < 5_000; i++) {
                journal.outcome(outcome(i, Outcome.Kind.COMPLETED));
            }
            journal.close();

            assertThat(number(database, "select count(distinct call) from penstock.journal"))
                    .isEqualTo(5_000);
            assertThat(
                            number(
                                    database,
                                    "select count(*) from penstock.journal where call is not null"))
                    .isEqualTo(5_000);
            assertThat(
                            number(
                                    database,
                                    "select count(*) from penstock.journal where outcome ="
                                            + " 'completed' and status = 200 and bytes = 10 and"
                                            + " duration_us = 1500 and incarnation ="
                                            + " '00000000-0000-0007-0000-000000000007' and"
                                            + " extract(epoch from admitted_at) = 1780000000"))
                    .isEqualTo(5_000);
        }
    }

    @Test
    void refusal_flood_countsAreExact() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            Connector gateway = new Connector(database.gateway());
            Journal journal = journal(() -> gateway.open(Purpose.JOURNAL), JournalLimits.DEFAULT);
            journal.start();
            Thread[] threads = new Thread[4];
            for (int t = 0; t < threads.length; t++) {
                threads[t] = Thread.ofPlatform().start(() -> refuse(journal, 25_000));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            journal.close();

            assertThat(
                            number(
                                    database,
                                    "select sum(count) from penstock.journal where kind in"
                                            + " ('refusal', 'refusals')"))
                    .isEqualTo(100_000);
            assertThat(
                            number(
                                    database,
                                    "select sum(count) from penstock.journal where agent = 'a3'"
                                            + " and budget = 'rate' and code = 'budget-exhausted'"))
                    .isEqualTo(10_000);
            assertThat(
                            number(
                                    database,
                                    "select count(*) from penstock.journal where kind = 'refusal'"))
                    .isPositive();
        }
    }

    @Test
    void refusal_isInTheJournalWithinASecond() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            Connector gateway = new Connector(database.gateway());
            try (Journal journal =
                    journal(() -> gateway.open(Purpose.JOURNAL), JournalLimits.DEFAULT)) {
                journal.start();
                await(() -> number(database, "select count(*) from penstock.journal") == 1);
                refuse(journal, 200);

                await(
                        () ->
                                number(
                                                database,
                                                "select coalesce(sum(count), 0) from"
                                                        + " penstock.journal where kind like"
                                                        + " 'refusal%'")
                                        == 200);
                // A second by the design; more, because this machine may be busy.
                assertThat(
                                number(
                                        database,
                                        "select count(*) from penstock.journal_writer w where"
                                                + " w.written_at - (select min(at) from"
                                                + " penstock.journal where kind = 'refusals') <"
                                                + " interval '5 s' and w.stream = 1"))
                        .isEqualTo(1);
            }
        }
    }

    /** Every other answer is lost after it took effect; the numbers make it count once. */
    @Test
    void write_answersLost_appliedOnce() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            Connector gateway = new Connector(database.gateway());
            AtomicInteger calls = new AtomicInteger();
            JournalLimits small =
                    new JournalLimits(100_000, 100, 1_000_000, 1_000_000, 1, 10, 5, 9);
            Journal journal =
                    journal(
                            () -> LossyConnections.losing(gateway.open(Purpose.JOURNAL), calls),
                            small);
            journal.start();
            for (int i = 0; i < 2_000; i++) {
                journal.outcome(outcome(i, Outcome.Kind.CUT));
                refuse(journal, 1);
            }
            journal.close();

            assertThat(calls.get()).isGreaterThan(20);
            assertThat(
                            number(
                                    database,
                                    "select count(*) from penstock.journal where kind = 'outcome'"))
                    .isEqualTo(2_000);
            assertThat(
                            number(
                                    database,
                                    "select sum(count) from penstock.journal where kind like"
                                            + " 'refusal%'"))
                    .isEqualTo(2_000);
        }
    }

    /** The database is killed and comes back; more arrives meanwhile than the queue holds. */
    @Test
    void outcome_databaseAway_whatIsNotKeptIsCounted(@TempDir Path folder) throws Exception {
        EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.in(folder));
        try {
            Migrations.migrate(server.owner());
            Connector connector = new Connector(server.owner());
            JournalLimits small = new JournalLimits(500, 100, 1_000_000, 1_000_000, 1, 10, 5, 9);
            Journal journal = journal(() -> connector.open(Purpose.JOURNAL), small);
            journal.start();
            journal.outcome(outcome(0, Outcome.Kind.COMPLETED));
            await(() -> number(connector, "select count(*) from penstock.journal") == 2);
            server.crash();

            for (int i = 1; i < 5_000; i++) {
                journal.outcome(outcome(i, Outcome.Kind.CLIENT_GONE));
                refuse(journal, 1);
            }
            await(() -> !journal.standing().writing());
            server = EmbeddedPostgres.start(EmbeddedOptions.in(folder).onPort(server.port()));
            await(() -> journal.standing().writing());
            journal.close();

            assertThat(journal.standing().outcomesNotKept()).isPositive();
            assertThat(
                            number(
                                    connector,
                                    "select count(*) filter (where kind = 'outcome') +"
                                            + " coalesce(sum(count) filter (where code ="
                                            + " 'outcomes-not-kept' and reason = 'client-gone'), 0)"
                                            + " from penstock.journal"))
                    .isEqualTo(5_000);
            assertThat(
                            number(
                                    connector,
                                    "select sum(count) from penstock.journal where kind like"
                                            + " 'refusal%'"))
                    .isEqualTo(4_999);
        } finally {
            server.close();
        }
    }

    @Test
    void close_complete_saysSo() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            Connector gateway = new Connector(database.gateway());
            Journal journal = journal(() -> gateway.open(Purpose.JOURNAL), JournalLimits.DEFAULT);
            journal.start();
            journal.close();
            journal.close();

            assertThat(
                            number(
                                    database,
                                    "select count(*) from penstock.journal where kind = 'control'"
                                            + " and code in ('journal-opened', 'journal-closed')"))
                    .isEqualTo(2);
        }
    }

    @Test
    void close_databaseAway_endsInTime() throws Exception {
        CountDownLatch tried = new CountDownLatch(2);
        Journal journal =
                journal(
                        () -> {
                            tried.countDown();
                            throw new SQLException("nobody there", "08001");
                        },
                        JournalLimits.DEFAULT);
        journal.start();
        journal.outcome(outcome(1, Outcome.Kind.COMPLETED));
        assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();

        long before = System.nanoTime();
        journal.close();

        assertThat(System.nanoTime() - before).isLessThan(TimeUnit.SECONDS.toNanos(20));
    }

    private static Journal journal(Journal.Opener opener, JournalLimits limits) {
        return new Journal(opener, UUID.randomUUID(), () -> INCARNATION, System::nanoTime, limits);
    }

    private static Outcome outcome(int i, Outcome.Kind kind) {
        return new Outcome(new UUID(3, i), ADMITTED, kind, 200, 10, 1_500);
    }

    private static void refuse(Journal journal, int times) {
        for (int i = 0; i < times; i++) {
            journal.refusal(
                    new RefusalEntry(
                            new UUID(4, i),
                            new Subject("acme", "a" + i % 10, "files", "read", null),
                            "budget-exhausted",
                            "rate"));
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.call()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    private static long number(TestDatabase database, String sql) throws SQLException {
        return number(new Connector(database.owner()), sql);
    }

    private static long number(Connector connector, String sql) throws SQLException {
        try (Connection c = connector.open(Purpose.OPERATOR);
                Statement s = c.createStatement();
                ResultSet row = s.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}

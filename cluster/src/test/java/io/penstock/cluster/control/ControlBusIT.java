package io.penstock.cluster.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlBusIT {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private TestDatabase database;

    @TempDir private Path folder;

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
    void start_noDatabase_staysClosedAndSaysWhy() throws Exception {
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica = new TestReplica("a", wire.through(database.gateway()))) {
            wire.cut();
            replica.start();
            Await.until(
                    "says that it waits",
                    () -> reason(replica).startsWith("waiting for the database"));
            assertThat(replica.judge()).isEqualTo(Judgement.STALE);

            wire.mend();

            Await.until("opens", replica::admits);
            assertThat(replica.bus.whyClosed()).isNull();
            Await.until("tells", () -> replica.events.contains("opened"));
        }
    }

    @Test
    void start_noRevisionYet_staysClosedUntilThereIsOne() throws Exception {
        try (TestDatabase bare = TestDatabase.fresh();
                TestReplica replica = new TestReplica("a", bare.gateway())) {
            replica.start();
            Await.until("says why", () -> reason(replica).contains("no configuration revision"));
            assertThat(replica.judge()).isEqualTo(Judgement.STALE);

            TestReplica.makeRevision(bare);

            Await.until("opens", replica::admits);
            assertThat(replica.bus.view().current().rules().revision()).isEqualTo(1);
        }
    }

    @Test
    void start_stopInForce_neverAdmits() throws Exception {
        call(database.connectAsOperator(), "call penstock.stop('all', null, 'before')");
        try (TestReplica replica = new TestReplica("a", database.gateway())) {
            replica.start();
            long lookedUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(700);
            while (System.nanoTime() < lookedUntil) {
                assertThat(replica.admits()).isFalse();
            }
            assertThat(replica.judge()).isInstanceOf(Judgement.Stopped.class);
            assertThat(replica.bus.whyClosed()).isEqualTo("stopped: before");
        }
    }

    @Test
    void start_manyAtOnce_allOpenUnderRowsOfTheirOwn() throws Exception {
        List<TestReplica> replicas = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                replicas.add(new TestReplica("r" + i % 4, database.gateway()));
            }
            replicas.forEach(TestReplica::start);
            for (TestReplica replica : replicas) {
                Await.until("opens", replica::admits);
            }
            Await.until(
                    "all are in the table as open",
                    () -> count("select count(*) from penstock.status where state = 'open'") == 8);
        } finally {
            replicas.forEach(TestReplica::close);
        }
        assertThat(count("select count(*) from penstock.status")).isZero();
    }

    @Test
    void stop_fromPsql_isSeenAppliedAndAcknowledged() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            replica.calls.cuts.set(2);
            replica.calls.open.set(2);
            call(database.connectAsOperator(), "call penstock.stop('tenant', 'acme', 'drill')");

            Await.until("is stopped", () -> replica.judge() instanceof Judgement.Stopped);
            Await.until("acknowledges", () -> acked() == replica.epoch());
            assertThat(replica.calls.applied).contains(replica.epoch());
            assertThat(count("select cut + open from penstock.status")).isEqualTo(4);
            replica.calls.open.set(0);
            Await.until("tells the end", () -> count("select open from penstock.status") == 0);

            UUID id = stopId();
            call(database.connectAsOperator(), "call penstock.resume('" + id + "', 'over')");
            Await.until("admits again", replica::admits);
        }
    }

    @Test
    void stop_sendUnderTheOlderState_isAcknowledgedOnlyAfterItLeft() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            Snapshot section = replica.bus.view().enter();
            call(database.connectAsOperator(), "call penstock.stop('all', null, 'drill')");
            Await.until("is stopped", () -> replica.judge() instanceof Judgement.Stopped);

            Await.until("closes what still sends", () -> !replica.calls.closedBefore.isEmpty());
            assertThat(acked()).isLessThan(replica.epoch());

            section.leave();
            Await.until("acknowledges", () -> acked() == replica.epoch());
        }
    }

    @Test
    void block_ofAnAgent_holdsAndEndsByItself() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            call(
                    database.connectAsOperator(),
                    "call penstock.block('acme', 'crawler', 'odd', interval '3 s')");

            Await.until("is blocked", () -> replica.judge() instanceof Judgement.Blocked);
            long epoch = replica.epoch();
            Await.until("block ends", replica::admits);
            assertThat(replica.epoch()).isEqualTo(epoch);
        }
    }

    /** Many epochs, because each of the two loops may still have its first look before it. */
    @Test
    void keysChange_readAgainOnlyWhenTheirVersionChanges() throws Exception {
        int epochs = 10;
        try (TestReplica replica = TestReplica.open("a", database)) {
            long before = replica.keysRead.get();
            for (int i = 1; i <= epochs; i++) {
                long next = replica.epoch() + 1;
                call(database.connectAsOwner(), "select penstock.raise_epoch_v1()");
                Await.until("sees the epoch", () -> replica.epoch() == next);
            }
            assertThat(replica.keysRead.get()).isLessThanOrEqualTo(before + 2);

            long settled = replica.keysRead.get();
            call(database.connectAsOwner(), "select penstock.keys_changed_v1()");
            Await.until("reads the keys", () -> replica.keysRead.get() > settled);
        }
    }

    @Test
    void lease_databaseGone_endsWithinItAndComesBack() throws Exception {
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica = new TestReplica("a", wire.through(database.gateway()))) {
            replica.start();
            Await.until("opens", replica::admits);

            wire.cut();
            long cutNanos = System.nanoTime();
            Await.until("closes", () -> !replica.admits());
            assertThat(trustedUntil(replica) - cutNanos).isLessThan(LEASE.toNanos());
            Await.until("says why", () -> reason(replica).startsWith("the lease ran out"));
            Await.until("tells", () -> replica.events.contains("lapsed"));

            wire.mend();
            Await.until("opens again", replica::admits);
        }
    }

    @Test
    void lease_databaseFrozen_endsWithinItAndComesBack() throws Exception {
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica = new TestReplica("a", wire.through(database.gateway()))) {
            replica.start();
            Await.until("opens", replica::admits);

            wire.freeze();
            long frozenNanos = System.nanoTime();
            Await.until("closes", () -> !replica.admits());
            assertThat(trustedUntil(replica) - frozenNanos).isLessThan(LEASE.toNanos());

            wire.mend();
            Await.until("opens again", replica::admits);
        }
    }

    /** With a database that hangs, so that no beat can renew the lease in between. */
    @Test
    void lease_machineWasSuspended_endsAtOnceAndIsTakenAgain() throws Exception {
        call(database.connectAsOwner(), "select penstock.adopt_revision_v1(1, 1, 10000)");
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica = new TestReplica("a", wire.through(database.gateway()))) {
            replica.start();
            Await.until("opens", replica::admits);
            wire.freeze();
            long until = trustedUntil(replica);

            replica.wallOffsetMillis.addAndGet(60_000);

            Await.until("closes", () -> !replica.admits());
            assertThat(System.nanoTime() - until).isNegative();
            wire.mend();
            Await.until("opens again", replica::admits);
        }
    }

    /**
     * A stop that is fenced by the lease counts as confirmed: when the lease comes back, what is
     * open has to be cut first, even if another thread installed the state that says so.
     */
    @Test
    void lease_stateInstalledByAnotherThread_isAppliedBeforeTheLeaseGoesOn() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database);
                Connection lane = new Connector(database.gateway()).open(Purpose.LANE)) {
            AtomicBoolean lapsed = new AtomicBoolean();
            AtomicReference<@Nullable Boolean> trusted = new AtomicReference<>();
            replica.calls.onApply =
                    state -> {
                        if (lapsed.get()) {
                            trusted.compareAndSet(null, replica.trusts(state));
                        }
                    };
            // While a beat reads, the lease that there was ends, and a lane installs the stop.
            replica.duringRead =
                    () -> {
                        if (Thread.currentThread().getName().equals("penstock-lease")
                                && !lapsed.get()
                                && replica.passToTheEndOfTheLease()) {
                            lapsed.set(true);
                            replica.bus.refresh(lane);
                        }
                    };

            // Where the listening thread is first, or was with the beat, it is tried once more.
            for (int i = 0; i < 40 && trusted.get() == null; i++) {
                lapsed.set(false);
                long before = replica.epoch();
                call(
                        database.connectAsOwner(),
                        "do $$ begin perform penstock.keys_changed_v1(); perform"
                                + " penstock.give_stop_v1(array[gen_random_uuid()], array['all'],"
                                + " array[null], 'drill', 'tester', false, false); end $$");
                Await.until("is read", () -> replica.epoch() == before + 2);
                Await.until("is applied", () -> replica.calls.applied.getLast() == before + 2);
            }

            assertThat(trusted.get()).isNotNull().isFalse();
        }
    }

    @Test
    void lease_lowerEpoch_closesForGood() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            call(database.connectAsOwner(), "update penstock.control set epoch = epoch - 1");
            Await.until("closes", () -> reason(replica).contains("went back"));
            assertThat(replica.judge()).isEqualTo(Judgement.STALE);

            call(database.connectAsOwner(), "update penstock.control set epoch = epoch + 9");
            Await.until("goes on seeing states", () -> replica.epoch() > 5);
            assertThat(replica.judge()).isEqualTo(Judgement.STALE);
            assertThat(reason(replica)).contains("went back");
        }
    }

    @Test
    void lease_databaseOfAnotherCluster_closesForGood() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            call(
                    database.connectAsOwner(),
                    "update penstock.control set cluster = gen_random_uuid()");

            Await.until("closes", () -> reason(replica).contains("another cluster"));
        }
    }

    @Test
    void fenced_byTheSweeper_becomesAnotherIncarnation() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            Incarnation first = replica.bus.incarnation();
            call(database.connectAsOwner(), "update penstock.replica set state = 'fenced'");

            Await.until("is another", () -> !replica.bus.incarnation().equals(first));
            Await.until("opens again", replica::admits);
            assertThat(replica.calls.cutAll).hasSize(1);
            assertThat(replica.events).contains("incarnation");
            Await.until(
                    "the new one acknowledges",
                    () ->
                            count(
                                            "select count(*) from penstock.status where state ="
                                                    + " 'open' and acked_epoch > 0")
                                    == 1);
        }
    }

    @Test
    void superseded_ofThisLife_becomesAnotherOnce() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            Incarnation first = replica.bus.incarnation();

            replica.bus.superseded(first);
            Await.until("is another", () -> !replica.bus.incarnation().equals(first));
            Incarnation second = replica.bus.incarnation();
            replica.bus.superseded(first);

            Await.until("opens again", replica::admits);
            assertThat(replica.bus.incarnation()).isEqualTo(second);
        }
    }

    @Test
    void refresh_onALanesConnection_installsWithTheLeaseItHad() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database);
                Connection lane = new Connector(database.gateway()).open(Purpose.LANE)) {
            // Raised without a NOTIFY, so that the lane is first.
            long until = trustedUntil(replica);
            call(database.connectAsOwner(), "select penstock.raise_epoch_v1()");

            Snapshot state = replica.bus.refresh(lane);

            assertThat(state.epoch()).isEqualTo(3);
            assertThat(state.trustedUntilNanos()).isGreaterThanOrEqualTo(until);
            Await.until("is acknowledged", () -> acked() == 3);
        }
    }

    @Test
    void checkServer_sameServer_passes() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database);
                Connection lane = new Connector(database.gateway()).open(Purpose.LANE)) {
            replica.bus.checkServer(lane);
        }
    }

    @Test
    void degraded_onceAProbeArrived_isFalse() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            Await.until("NOTIFY arrives", () -> !replica.bus.degraded());
            Await.until(
                    "the table says so",
                    () -> count("select count(*) from penstock.status where not degraded") == 1);
        }
    }

    @Test
    void drain_thenClose_isWrittenAndAcknowledgesUntilThen() throws Exception {
        try (TestReplica replica = TestReplica.open("a", database)) {
            replica.bus.drain();
            Await.until(
                    "drains",
                    () ->
                            count("select count(*) from penstock.status where state = 'draining'")
                                    == 1);
            call(database.connectAsOperator(), "call penstock.stop('all', null, 'drill')");
            Await.until("acknowledges", () -> acked() == 3);

            replica.bus.close();

            assertThat(count("select count(*) from penstock.status")).isZero();
            assertThat(replica.judge()).isNotEqualTo(Judgement.CLEAR);
        }
    }

    @Test
    void latch_databaseGone_holdsAtOnceAndIsRecordedLater() throws Exception {
        Path file = folder.resolve("latch");
        UUID id = UUID.randomUUID();
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica =
                        new TestReplica("a", wire.through(database.gateway()), file)) {
            replica.start();
            Await.until("opens", replica::admits);
            wire.cut();

            assertThat(replica.bus.latch(order(id))).isTrue();
            assertThat(replica.judge()).isInstanceOf(Judgement.Stopped.class);

            wire.mend();
            Await.until("is recorded", () -> count("select count(*) from penstock.stops") == 1);
            Await.until("is dropped", () -> replica.bus.latched().isEmpty());
            assertThat(replica.judge()).isInstanceOf(Judgement.Stopped.class);
            assertThat(new LatchFile(file).read().orders()).isEmpty();

            call(database.connectAsOperator(), "call penstock.resume('" + id + "', 'over')");
            Await.until("admits again", replica::admits);
        }
    }

    @Test
    void latch_overARestart_holdsBeforeTheDatabaseIsBack() throws Exception {
        Path file = folder.resolve("latch");
        new LatchFile(file).write(List.of(order(UUID.randomUUID())));
        try (Wire wire = new Wire(database.gateway());
                TestReplica replica =
                        new TestReplica("a", wire.through(database.gateway()), file)) {
            wire.cut();
            replica.start();

            assertThat(replica.judge()).isInstanceOf(Judgement.Stopped.class);
            assertThat(replica.bus.latched()).hasSize(1);
        }
    }

    @Test
    void latch_liftedMeanwhile_isDropped() throws Exception {
        UUID id = UUID.randomUUID();
        try (Connection operator = database.connectAsOperator()) {
            Orders.stop(operator, order(id));
            Orders.resume(operator, List.of(id), "over", "tester");
        }
        Path file = folder.resolve("latch");
        new LatchFile(file).write(List.of(order(id)));
        try (TestReplica replica = new TestReplica("a", database.gateway(), file)) {
            replica.start();

            Await.until("opens", replica::admits);
            assertThat(replica.bus.latched()).isEmpty();
        }
    }

    @Test
    void latch_fileThatCannotBeRead_stopsEverythingAndStays() throws Exception {
        Path file = folder.resolve("latch");
        Files.writeString(file, "not a latch");
        try (TestReplica replica = new TestReplica("a", database.gateway(), file)) {
            replica.start();
            Await.until("has a lease", () -> replica.events.contains("opened"));

            assertThat(replica.judge()).isInstanceOf(Judgement.Stopped.class);
            assertThat(replica.bus.latch(order(UUID.randomUUID()))).isFalse();
        }
        assertThat(file).hasContent("not a latch");
    }

    private static StopOrder order(UUID id) {
        return new StopOrder(
                List.of(new StopOrder.Target(id, new Scope.All())), "drill", "tester", false, true);
    }

    private static long trustedUntil(TestReplica replica) {
        return replica.bus.view().current().trustedUntilNanos();
    }

    private static String reason(TestReplica replica) {
        return String.valueOf(replica.bus.whyClosed());
    }

    private long acked() throws SQLException {
        return count("select coalesce(min(acked_epoch), -1) from penstock.status");
    }

    private UUID stopId() throws SQLException {
        try (Connection c = database.connectAsOperator();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery("select id from penstock.stops")) {
            r.next();
            return r.getObject(1, UUID.class);
        }
    }

    private long count(String sql) throws SQLException {
        try (Connection c = database.connectAsOperator();
                Statement s = c.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            return r.next() ? r.getLong(1) : -1;
        }
    }

    private static void call(Connection connection, String sql) throws SQLException {
        try (connection;
                Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }
}

package io.penstock.cluster.control;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the functions of the control schema promise, on any version of Postgres. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ControlSchemaContract {
    private static final String RESET =
            """
            truncate penstock.stop, penstock.block, penstock.replica, penstock.acknowledgement,
                     penstock.duty, penstock.journal_backlog, penstock.journal, penstock.lane;
            update penstock.control set epoch = 1, blocks_epoch = 1, blocks_raised_at = '-infinity'
            """;

    private final TestDatabase database = fresh();
    private Connection owner;
    private Connection operator;
    private Connection gateway;

    abstract TestDatabase fresh();

    @BeforeEach
    void connect() throws SQLException {
        owner = database.connectAsOwner();
        operator = database.connectAsOperator();
        gateway = database.connectAsGateway();
        run(owner, RESET);
    }

    @AfterEach
    void disconnect() throws SQLException {
        owner.close();
        operator.close();
        gateway.close();
    }

    @AfterAll
    void dropDatabase() {
        database.close();
    }

    @Test
    void stop_severalScopes_areRowsOfOneEpoch() throws SQLException {
        StopOrder order =
                new StopOrder(
                        List.of(
                                target(new Scope.Tenant("acme")),
                                target(new Scope.Tool("files", "a/b"))),
                        "drill",
                        "tester",
                        true,
                        true);

        Orders.Stopped stopped = Orders.stop(operator, order);

        assertThat(stopped).isEqualTo(new Orders.Stopped(2, 2, true, false));
        ControlState state = ControlSql.state(gateway, 1, () -> 0);
        assertThat(state.epoch()).isEqualTo(2);
        assertThat(stops(state))
                .extracting(Stop::scope)
                .containsExactlyInAnyOrder(
                        new Scope.Tenant("acme"), new Scope.Tool("files", "a/b"));
        assertThat(stops(state))
                .allSatisfy(
                        s -> {
                            assertThat(s.epoch()).isEqualTo(2);
                            assertThat(s.drain()).isTrue();
                            assertThat(s.showReason()).isTrue();
                            assertThat(s.reason()).isEqualTo("drill");
                            assertThat(s.actor()).isEqualTo("tester");
                        });
    }

    @Test
    void stop_again_writesTheRowButRaisesNothing() throws SQLException {
        StopOrder order = order(new Scope.All());
        Orders.stop(operator, order);
        String before = text(owner, "select xmin from penstock.stop");

        Orders.Stopped again = Orders.stop(operator, order);

        assertThat(again).isEqualTo(new Orders.Stopped(2, 2, false, false));
        assertThat(text(owner, "select xmin from penstock.stop")).isNotEqualTo(before);
    }

    @Test
    void stop_liftedBefore_saysSo() throws SQLException {
        StopOrder order = order(new Scope.All());
        Orders.stop(operator, order);
        Orders.resume(operator, ids(order), "over", "tester");

        assertThat(Orders.stop(operator, order)).isEqualTo(new Orders.Stopped(2, 3, false, true));
        assertThat(stops(ControlSql.state(gateway, 1, () -> 0))).isEmpty();
    }

    @Test
    void stop_twoAtOnceWithTheSameId_raiseOneEpoch() throws Exception {
        StopOrder order = order(new Scope.All());
        List<Thread> threads = new ArrayList<>();
        AtomicLong fresh = new AtomicLong();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try (Connection c = database.connectAsOperator()) {
                                            fresh.addAndGet(Orders.stop(c, order).fresh() ? 1 : 0);
                                        } catch (SQLException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(fresh).hasValue(1);
        assertThat(number(operator, "select epoch from penstock.cluster")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'all', 'x'",
                "'tenant', null",
                "'agent', 'acme'",
                "'agent', '/a'",
                "'agent', 'a/'",
                "'tool', 'files'",
                "'session', 's'",
                "null, null"
            })
    void stop_malformedScope_isRefusedAndChangesNothing(String scope) throws SQLException {
        assertThatThrownBy(() -> run(operator, "call penstock.stop(" + scope + ", 'drill')"))
                .isInstanceOf(SQLException.class);

        assertThat(number(operator, "select epoch from penstock.cluster")).isEqualTo(1);
    }

    @Test
    void stop_isInTheJournal() throws SQLException {
        StopOrder order = order(new Scope.Tenant("acme"));
        Orders.stop(operator, order);
        Orders.resume(operator, ids(order), "over", "tester");

        assertThat(
                        text(
                                owner,
                                "select string_agg(code || ' ' || epoch || ' ' || actor || ' ' ||"
                                    + " reason || ' ' || (detail #>> '{ids,0}'), ', ' order by at)"
                                    + " from penstock.journal where kind = 'control'"))
                .isEqualTo(
                        "stop 2 tester drill %1$s, resume 3 tester over %1$s"
                                .formatted(ids(order).getFirst()));
    }

    @Test
    void stop_journalCannotBeWritten_holdsAndIsWrittenLater() throws SQLException {
        run(owner, "alter table penstock.journal rename to journal_away");

        Orders.stop(operator, order(new Scope.All()));

        assertThat(number(owner, "select count(*) from penstock.journal_backlog")).isEqualTo(1);
        run(owner, "alter table penstock.journal_away rename to journal");
        UUID leader = leader();
        run(gateway, "select penstock.sweep_control_v1('" + leader + "', 1, '{}')");
        assertThat(number(owner, "select count(*) from penstock.journal_backlog")).isZero();
        assertThat(number(owner, "select count(*) from penstock.journal where code = 'stop'"))
                .isEqualTo(1);
    }

    @Test
    void stop_insideATransactionBlock_fails() throws SQLException {
        operator.setAutoCommit(false);
        try (Statement s = operator.createStatement()) {
            assertThatThrownBy(() -> s.execute("call penstock.stop('all', null, 'drill')"))
                    .hasMessageContaining("invalid transaction termination");
        }
    }

    @Test
    void resume_unknownId_changesNothing() throws SQLException {
        UUID nobody = UUID.randomUUID();

        Orders.Resumed resumed = Orders.resume(operator, List.of(nobody), "over", "tester");

        assertThat(resumed).isEqualTo(new Orders.Resumed(1, List.of(), List.of(nobody)));
    }

    @Test
    void resume_again_changesNothing() throws SQLException {
        StopOrder order = order(new Scope.All());
        Orders.stop(operator, order);
        assertThat(Orders.resume(operator, ids(order), "over", "tester").lifted())
                .isEqualTo(ids(order));

        assertThat(Orders.resume(operator, ids(order), "over", "tester"))
                .isEqualTo(new Orders.Resumed(3, List.of(), List.of()));
    }

    @Test
    void gateway_canGiveAStopButNotLiftOneNorTouchATable() throws SQLException {
        Orders.stop(gateway, order(new Scope.All()));

        assertDenied("call penstock.resume(gen_random_uuid(), 'over')");
        assertDenied("select * from penstock.resume_v1(array[gen_random_uuid()], 'over', null)");
        assertDenied("call penstock.unblock('acme', 'crawler', 'over')");
        assertDenied("select penstock.raise_epoch_v1()");
        assertDenied("select penstock.adopt_revision_v1(0, 1, 1000)");
        for (String table :
                List.of("control", "replica", "acknowledgement", "stop", "block", "duty")) {
            assertDenied("select * from penstock." + table);
            assertDenied("delete from penstock." + table);
        }
    }

    @Test
    void state_installedEpoch_isUnchanged() throws SQLException {
        assertThat(ControlSql.state(gateway, 1, () -> 0).unchanged()).isTrue();
        assertThat(ControlSql.state(gateway, 0, () -> 0).unchanged()).isFalse();
    }

    @Test
    void state_noBlockChangedSince_leavesBlocksOut() throws SQLException {
        run(operator, "call penstock.block('acme', 'crawler', 'odd', interval '1 hour')");
        Orders.stop(operator, order(new Scope.All()));

        assertThat(ControlSql.state(gateway, 1, () -> 0).blocks()).hasSize(1);
        assertThat(ControlSql.state(gateway, 2, () -> 0).blocks()).isNull();
        assertThat(ControlSql.state(gateway, 99, () -> 0).blocks()).hasSize(1);
    }

    /** A reader must never see an epoch without the stop that raised it. */
    @Test
    void state_readWhileStopsAreGiven_comesFromOneSnapshot() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong wrong = new AtomicLong();
        AtomicLong reads = new AtomicLong();
        Thread reader =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        while (!over.get()) {
                                            ControlState state =
                                                    ControlSql.state(gateway, 0, () -> 0);
                                            if (stops(state).size() != state.epoch() - 1) {
                                                wrong.incrementAndGet();
                                            }
                                            reads.incrementAndGet();
                                        }
                                    } catch (SQLException e) {
                                        wrong.addAndGet(1000);
                                    }
                                });
        for (int i = 0; i < 100; i++) {
            Orders.stop(operator, order(new Scope.Tenant("t" + i)));
        }
        over.set(true);
        reader.join();

        assertThat(wrong).hasValue(0);
        assertThat(reads).hasValueGreaterThan(10);
    }

    /** Stops in a state that was read whole, or from one without any. */
    private static List<Stop> stops(ControlState state) {
        return Objects.requireNonNull(state.stops()).after(List.of());
    }

    /** From any earlier state, and made to any later one, changes lead to what holds now. */
    @Test
    void state_changesSinceAnyState_leadToTheWhole() throws SQLException {
        long seed = ThreadLocalRandom.current().nextLong();
        Random random = new Random(seed);
        List<StopOrder> given = new ArrayList<>();
        List<List<Stop>> history = new ArrayList<>();
        history.add(List.of());
        for (int i = 0; i < 60; i++) {
            if (given.isEmpty() || random.nextInt(5) < 3) {
                StopOrder order =
                        new StopOrder(
                                List.of(
                                        target(new Scope.Tenant("t" + i)),
                                        target(new Scope.Server("s" + i))),
                                "drill",
                                "tester",
                                random.nextBoolean(),
                                false);
                Orders.stop(operator, order);
                given.add(order);
            } else {
                List<UUID> ids = ids(given.get(random.nextInt(given.size())));
                Orders.resume(operator, ids.subList(0, 1 + random.nextInt(2)), "over", "tester");
            }
            List<Stop> whole = stops(ControlSql.state(gateway, 0, () -> 0));
            long epoch = ControlSql.state(gateway, 0, () -> 0).epoch();
            if (epoch - 1 == history.size()) {
                history.add(whole);
            }
            assertThat(history).as("seed %d", seed).hasSize((int) epoch);
            int since = random.nextInt(history.size());
            int base = since + random.nextInt(history.size() - since);
            ControlState read = ControlSql.state(gateway, since + 1, () -> 0);
            if (since + 1 < epoch) {
                assertThat(read.stops()).isInstanceOf(ControlState.Stops.Changes.class);
                assertThat(Objects.requireNonNull(read.stops()).after(history.get(base)))
                        .as("seed %d, since %d made to %d", seed, since + 1, base + 1)
                        .containsExactlyInAnyOrderElementsOf(whole);
            } else {
                assertThat(read.stops()).isNull();
            }
        }
    }

    @Test
    void state_ofOneWhoHasMoreThanThereIs_isWhole() throws SQLException {
        Orders.stop(operator, order(new Scope.All()));

        assertThat(ControlSql.state(gateway, 99, () -> 0).stops())
                .isInstanceOf(ControlState.Stops.Whole.class);
    }

    @Test
    void beat_rowThatIsFencedOrClosed_staysSo() throws SQLException {
        Incarnation me = new Incarnation("a", UUID.randomUUID());
        assertThat(ControlSql.beat(gateway, beat(me, 0)).fenced()).isFalse();
        for (String state : List.of("fenced", "closed")) {
            run(owner, "update penstock.replica set state = '" + state + "'");
            assertThat(ControlSql.beat(gateway, beat(me, 0)).fenced()).isTrue();
            assertThat(text(owner, "select state from penstock.replica")).isEqualTo(state);
        }
    }

    @Test
    void beat_trustsByALongerLease_rowSaysTheLonger() throws SQLException {
        Incarnation me = new Incarnation("a", UUID.randomUUID());
        ControlSql.beat(gateway, beat(me, 4000));
        assertThat(number(operator, "select lease_ms from penstock.status")).isEqualTo(4000);

        ControlSql.beat(gateway, beat(me, 500));
        assertThat(number(operator, "select lease_ms from penstock.status")).isEqualTo(1000);
    }

    @Test
    void beat_sessionWithoutSynchronousCommit_isCommittedSynchronously() throws SQLException {
        run(gateway, "set synchronous_commit = off");
        gateway.setAutoCommit(false);
        ControlSql.beat(gateway, beat(new Incarnation("a", UUID.randomUUID()), 0));

        assertThat(text(gateway, "show synchronous_commit")).isEqualTo("on");
        gateway.rollback();
    }

    @Test
    void acknowledge_olderEpoch_isIgnored() throws SQLException {
        Incarnation me = new Incarnation("a", UUID.randomUUID());
        ControlSql.beat(gateway, beat(me, 0));
        ControlSql.acknowledge(gateway, me, new ControlSql.Acknowledgement(5, 4, 3, 2));
        ControlSql.acknowledge(gateway, me, new ControlSql.Acknowledgement(4, 0, 0, 0));

        assertThat(
                        text(
                                operator,
                                "select concat_ws(' ', acked_epoch, cut_epoch, cut, open) from"
                                        + " penstock.status"))
                .isEqualTo("5 4 3 2");
    }

    @Test
    void blocks_inAStorm_raiseTheEpochAtTheirPaceAndAllTakeEffect() throws Exception {
        long started = System.nanoTime();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int of = t;
            threads.add(Thread.ofPlatform().start(() -> blockMany(of)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long raises = number(operator, "select epoch - 1 from penstock.cluster");
        long millis = (System.nanoTime() - started) / 1_000_000;

        assertThat(number(owner, "select count(*) from penstock.block where pending")).isZero();
        assertThat(ControlSql.state(gateway, 0, () -> 0).blocks()).hasSize(40);
        assertThat(raises).isBetween(1L, millis / 50 + 2);
    }

    private void blockMany(int of) {
        try (Connection c = database.connectAsOperator()) {
            for (int i = 0; i < 10; i++) {
                run(c, "call penstock.block('t" + of + "', 'a" + i + "', 'odd', '1 hour')");
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void block_whileTheControlRowIsLocked_doesNotQueueForIt() throws SQLException {
        owner.setAutoCommit(false);
        run(owner, "update penstock.control set epoch = epoch + 1");
        run(operator, "set lock_timeout = '500ms'");

        run(operator, "select penstock.block_v1('acme', 'crawler', 'odd', null, '1 hour')");

        assertThat(number(operator, "select wait_ms from penstock.raise_blocks_v1()")).isPositive();
        owner.rollback();
        assertThat(number(operator, "select wait_ms from penstock.raise_blocks_v1()")).isZero();
    }

    @Test
    void block_again_keepsTheLaterEnd() throws SQLException {
        run(operator, "call penstock.block('acme', 'crawler', 'odd', '2 hours')");
        run(operator, "call penstock.block('acme', 'crawler', 'odder', '1 hour')");

        assertThat(
                        text(
                                operator,
                                "select reason from penstock.blocks where expires_at > now() +"
                                        + " interval '110 minutes'"))
                .isEqualTo("odder");
    }

    @Test
    void unblock_ofABlock_endsItAndRaisesTheEpoch() throws SQLException {
        run(operator, "call penstock.block('acme', 'crawler', 'odd', '2 hours')");
        long epoch = number(operator, "select epoch from penstock.cluster");

        run(operator, "call penstock.unblock('acme', 'crawler', 'over')");

        ControlState state = ControlSql.state(gateway, epoch, () -> 0);
        assertThat(state.epoch()).isEqualTo(epoch + 1);
        assertThat(state.blocks()).isEmpty();
    }

    @Test
    void duties_claimedByOne_areGivenToAnotherOnlyAfterTheirEnd() throws SQLException {
        UUID first = open("a");
        UUID second = open("b");
        assertThat(claim("a", first)).isEqualTo("sweep 1");
        assertThat(claim("b", second)).isEmpty();
        assertThat(claim("a", first)).isEmpty();

        run(owner, "update penstock.duty set until = clock_timestamp()");
        assertThat(claim("b", second)).isEqualTo("sweep 2");

        assertThat(renew(first, 1)).isZero();
        assertThat(renew(second, 2)).isEqualTo(1);
        assertThatThrownBy(
                        () ->
                                run(
                                        gateway,
                                        "select penstock.hold_duty_v1('sweep','" + first + "',1)"))
                .hasMessageContaining("term 1 of duty sweep is over");
    }

    @Test
    void duties_draining_areNotClaimed() throws SQLException {
        UUID me = open("a");
        run(owner, "update penstock.replica set state = 'draining'");

        assertThat(claim("a", me)).isEmpty();
    }

    /** What a leader writes and a new term exclude each other. */
    @Test
    void duties_heldInATransaction_cannotBeTakenBeforeItEnds() throws SQLException {
        UUID first = open("a");
        UUID second = open("b");
        claim("a", first);
        try (Connection leader = database.connectAsGateway()) {
            leader.setAutoCommit(false);
            run(leader, "select penstock.hold_duty_v1('sweep', '" + first + "', 1)");
            run(gateway, "set lock_timeout = '100ms'");

            assertThatThrownBy(
                            () ->
                                    run(
                                            owner,
                                            "set lock_timeout = '100ms'; update penstock.duty set"
                                                    + " until = clock_timestamp()"))
                    .hasMessageContaining("lock timeout");
            leader.commit();
        }
        run(owner, "update penstock.duty set until = clock_timestamp()");
        assertThat(claim("b", second)).isEqualTo("sweep 2");
    }

    @Test
    void sweep_noBeatFor15Seconds_fencesThenCloses() throws SQLException {
        UUID leader = open("a");
        UUID dead = open("b");
        assertThat(claim("a", leader)).isEqualTo("sweep 1");
        claimAll(dead);
        run(gateway, "select penstock.open_lane_v1('" + dead + "', 0::smallint)");
        run(
                owner,
                "update penstock.replica set beat_at = clock_timestamp() - interval '16 s' where"
                        + " replica = 'b'");

        assertThat(sweep(leader)).isEqualTo("1 0");
        assertThat(text(owner, "select state from penstock.replica where replica = 'b'"))
                .isEqualTo("fenced");
        assertThat(text(owner, "select fenced from penstock.lane")).isEqualTo("t");
        assertThat(number(owner, "select count(*) from penstock.duty where until > now()"))
                .isEqualTo(1);
        assertThat(sweep(leader, dead)).isEqualTo("0 1");
        assertThat(number(operator, "select count(*) from penstock.registered")).isEqualTo(1);
        assertThat(states()).isEqualTo("a open, b gone");
    }

    @Test
    void status_noBeat_isOverdueThenGoneThenForgotten() throws SQLException {
        UUID silent = open("a");
        assertThat(states()).isEqualTo("a open");

        lastBeat(silent, "2 s");
        assertThat(states()).isEqualTo("a overdue");
        lastBeat(silent, "16 s");
        assertThat(states()).isEqualTo("a gone");
        lastBeat(silent, "9 minutes");
        assertThat(states()).isEqualTo("a gone");
        lastBeat(silent, "11 minutes");
        assertThat(states()).isEmpty();
        assertThat(number(operator, "select count(*) from penstock.registered"))
                .as("an operator who stops waits for its lease all the same")
                .isEqualTo(1);
    }

    @Test
    void status_anotherOfItsNameCame_theOneThatIsGoneIsForgotten() throws SQLException {
        UUID first = open("a");
        lastBeat(first, "2 s");
        open("a");
        assertThat(states()).as("it may live").isEqualTo("a open, a overdue");

        lastBeat(first, "16 s");
        assertThat(states()).isEqualTo("a open");
    }

    @Test
    void status_endedInOrder_isNotShown() throws SQLException {
        UUID first = open("a");
        run(gateway, "select penstock.close_v1('a', '" + first + "')");

        assertThat(states()).isEmpty();
    }

    private String states() throws SQLException {
        return text(
                operator,
                "select coalesce(string_agg(replica || ' ' || state, ', ' order by replica, state"
                        + " collate \"C\"), '') from penstock.status");
    }

    private void lastBeat(UUID incarnation, String ago) throws SQLException {
        run(
                owner,
                "update penstock.replica set started_at = clock_timestamp() - interval '1 hour',"
                        + " beat_at = clock_timestamp() - interval '"
                        + ago
                        + "' where incarnation = '"
                        + incarnation
                        + "'");
    }

    @Test
    void resume_oneOfTheIdsIsNoStops_liftsNone() throws SQLException {
        UUID stop = UUID.randomUUID();
        UUID none = UUID.randomUUID();
        run(operator, "call penstock.stop('all', null, 'drill', id => '" + stop + "')");

        assertThat(
                        text(
                                operator,
                                "select array_to_string(lifted || unknown, ',') from"
                                        + " penstock.resume_v1(array['"
                                        + stop
                                        + "', '"
                                        + none
                                        + "']::uuid[], 'over', null)"))
                .isEqualTo(none.toString());
        assertThat(number(operator, "select count(*) from penstock.stops")).isEqualTo(1);
    }

    /** Its lease may still run: the clock that fenced it may have stepped. */
    @Test
    void sweep_fencedButNotNamed_staysListedForStops() throws SQLException {
        UUID leader = leader();
        UUID dead = open("b");
        run(
                owner,
                "update penstock.replica set beat_at = clock_timestamp() - interval '16 s' where"
                        + " replica = 'b'");
        assertThat(sweep(leader, dead)).isEqualTo("1 0");

        assertThat(sweep(leader)).isEqualTo("0 0");
        assertThat(sweep(leader, UUID.randomUUID())).isEqualTo("0 0");

        assertThat(number(operator, "select count(*) from penstock.registered")).isEqualTo(2);
        assertThat(
                        text(
                                gateway,
                                "select waiting[1] || ' ' || waiting_ms[1] from"
                                        + " penstock.sweep_control_v1('"
                                        + leader
                                        + "', 1, '{}')"))
                .isEqualTo(dead + " 1000");
    }

    @Test
    void sweep_openButNamed_isNotClosed() throws SQLException {
        UUID leader = leader();
        UUID alive = open("b");

        assertThat(sweep(leader, alive)).isEqualTo("0 0");
        assertThat(text(owner, "select state from penstock.replica where replica = 'b'"))
                .isEqualTo("open");
    }

    @Test
    void sweep_noBeatForTenSeconds_fencesNobody() throws SQLException {
        UUID leader = leader();
        run(owner, "update penstock.replica set beat_at = clock_timestamp() - interval '10 s'");

        assertThat(sweep(leader)).isEqualTo("0 0");
    }

    @Test
    void stopAndWait_liftedBefore_isNotCalledConfirmed() throws SQLException {
        UUID id = UUID.randomUUID();
        run(operator, "call penstock.stop('all', null, 'drill', id => '" + id + "')");
        run(operator, "call penstock.resume('" + id + "', 'over')");

        assertThat(
                        text(
                                operator,
                                "call penstock.stop('all', null, 'drill', id => '" + id + "')",
                                3))
                .contains("does not hold");
        assertThat(
                        text(
                                operator,
                                "call penstock.stop_and_wait('all', null, 'drill', id => '"
                                        + id
                                        + "')",
                                3))
                .contains("does not hold");
    }

    @Test
    void stop_oneOfTwoScopesLiftedBefore_saysSo() throws SQLException {
        UUID one = UUID.randomUUID();
        UUID other = UUID.randomUUID();
        StopOrder order =
                new StopOrder(
                        List.of(
                                new StopOrder.Target(one, new Scope.Tenant("acme")),
                                new StopOrder.Target(other, new Scope.Server("files"))),
                        "a drill",
                        "tester",
                        false,
                        false);
        Orders.stop(operator, order);
        Orders.resume(operator, List.of(one), "over", "tester");

        assertThat(Orders.stop(operator, order).lifted()).isTrue();
    }

    @Test
    void stopAndWait_noReplica_isConfirmed() throws SQLException {
        assertThat(answer("call penstock.stop_and_wait('all', null, 'drill')"))
                .isEqualTo("confirmed: no replica is registered");
    }

    @Test
    void stopAndWait_silentReplica_waitsItsLease() throws SQLException {
        open("a");
        assertThat(answer("call penstock.stop_and_wait('all', null, 'drill', '500 ms')"))
                .isEqualTo("recorded, not confirmed within the wait");
        long started = System.nanoTime();
        assertThat(answer("call penstock.stop_and_wait('all', null, 'drill')"))
                .isEqualTo("confirmed");
        assertThat(System.nanoTime() - started).isGreaterThan(1_000_000_000L);
    }

    @Test
    void stopAndWait_acknowledged_doesNotWait() throws Exception {
        Incarnation me = new Incarnation("a", UUID.randomUUID());
        ControlSql.beat(gateway, beat(me, 10_000));
        Thread replica =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        Await.until(
                                                "sees the stop",
                                                () ->
                                                        ControlSql.state(gateway, 1, () -> 0)
                                                                        .epoch()
                                                                == 2);
                                        ControlSql.acknowledge(
                                                gateway,
                                                me,
                                                new ControlSql.Acknowledgement(2, 0, 0, 0));
                                    } catch (Exception e) {
                                        throw new IllegalStateException(e);
                                    }
                                });

        assertThat(answer("call penstock.stop_and_wait('all', null, 'drill', '9 s')"))
                .isEqualTo("confirmed");
        replica.join();
    }

    private String answer(String call) throws SQLException {
        try (Statement s = operator.createStatement();
                ResultSet r = s.executeQuery(call)) {
            r.next();
            return r.getString("answer");
        }
    }

    private UUID leader() throws SQLException {
        UUID leader = open("leader");
        claimAll(leader);
        return leader;
    }

    private void claimAll(UUID who) throws SQLException {
        run(
                gateway,
                "select penstock.claim_duties_v1(replica, incarnation, array['sweep', 'other'])"
                        + " from penstock.status where incarnation = '"
                        + who
                        + "'");
    }

    private String sweep(UUID leader, UUID... closable) throws SQLException {
        String named = Arrays.stream(closable).map(UUID::toString).collect(joining(","));
        return text(
                gateway,
                "select fenced || ' ' || closed from penstock.sweep_control_v1('"
                        + leader
                        + "', 1, '{"
                        + named
                        + "}')");
    }

    private UUID open(String replica) throws SQLException {
        Incarnation me = new Incarnation(replica, UUID.randomUUID());
        ControlSql.beat(gateway, beat(me, 0));
        return me.id();
    }

    private String claim(String replica, UUID who) throws SQLException {
        return text(
                gateway,
                "select duty || ' ' || term from penstock.claim_duties_v1('"
                        + replica
                        + "', '"
                        + who
                        + "', array['sweep'])");
    }

    private long renew(UUID who, long term) throws SQLException {
        return number(
                gateway,
                "select count(*) from penstock.renew_duties_v1('"
                        + who
                        + "', array['sweep'], array["
                        + term
                        + "::bigint])");
    }

    private static ControlSql.Beat beat(Incarnation who, int trustingMillis) {
        return new ControlSql.Beat(
                who,
                "open",
                trustingMillis,
                0,
                new Announcement("0.1", "data", "admin", "hash"),
                0,
                null,
                false);
    }

    private void assertDenied(String sql) {
        assertThatThrownBy(() -> run(gateway, sql))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        e -> assertThat(e.getSQLState()).as(sql).isEqualTo("42501"));
    }

    private static StopOrder order(Scope scope) {
        return new StopOrder(List.of(target(scope)), "drill", "tester", false, false);
    }

    private static StopOrder.Target target(Scope scope) {
        return new StopOrder.Target(UUID.randomUUID(), scope);
    }

    private static List<UUID> ids(StopOrder order) {
        return order.targets().stream().map(StopOrder.Target::id).toList();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement s = connection.createStatement()) {
            s.execute(sql);
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        return text(connection, sql, 1);
    }

    private static String text(Connection connection, String sql, int column) throws SQLException {
        try (Statement s = connection.createStatement();
                ResultSet r = s.executeQuery(sql)) {
            return r.next() ? String.valueOf(r.getString(column)) : "";
        }
    }

    private static long number(Connection connection, String sql) throws SQLException {
        return Long.parseLong(text(connection, sql));
    }
}

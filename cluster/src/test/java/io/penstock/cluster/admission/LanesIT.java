package io.penstock.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.Claim;
import io.penstock.budget.Counter;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.ControlStates;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes of two replicas on one real database. */
@Timeout(60)
final class LanesIT {
    private static final String KILL_LANES =
            """
            select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and application_name = 'penstock-lane'
            """;
    private static final Subject BOB = new Subject("t", "bob", "s", "tool", null);

    @SuppressWarnings("NullAway.Init") // before all tests
    private static TestDatabase database;

    private final List<Lanes> replicas = new ArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @SuppressWarnings("NullAway.Init") // before each test
    private PostgresFixture fixture;

    @SuppressWarnings("NullAway.Init") // before each test
    private FixedControl control;

    @BeforeAll
    static void makeDatabase() {
        database = TestDatabase.fresh();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @BeforeEach
    void openFixture() {
        fixture = new PostgresFixture(database);
    }

    @AfterEach
    void close() {
        replicas.forEach(Lanes::close);
        threads.shutdownNow();
        fixture.close();
    }

    private static Budget budget(long limit) {
        return Batches.budget("b", limit, Batches.LONG, Mode.ENFORCE);
    }

    private Lanes replica(long limit) throws SQLException {
        return replica(limit, database.gateway(), Duration.ofSeconds(10));
    }

    private Lanes replica(long limit, DatabaseConfig login, Duration deadline) throws SQLException {
        control = new FixedControl(fixture.epoch(), List.of(budget(limit)));
        UUID incarnation = Incarnations.register(database);
        Connector connector = new Connector(login);
        Lanes lanes =
                new Lanes(
                        new LanesConfig(deadline, 10_000, 2),
                        new PostgresLaneOpener(
                                () -> connector.open(Purpose.LANE), c -> {}, incarnation),
                        control,
                        AdmissionListener.NONE,
                        () -> {},
                        System::nanoTime);
        replicas.add(lanes);
        lanes.start();
        return lanes;
    }

    private AdmissionRequest request() {
        Snapshot state = control.view().current();
        Claim claim = state.rules().budgets().claim(BOB, Mode.ENFORCE);
        return new AdmissionRequest(
                UUID.randomUUID(), BOB, claim, "tools/call", state, 60_000, System.nanoTime());
    }

    private Counter counter() {
        return request().claim().charges().getFirst().counter();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + 20_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("it never came true");
            }
            Thread.sleep(10);
        }
    }

    private static void asSuperuser(String sql) throws SQLException {
        try (Connection c = database.connectAsSuperuser();
                Statement s = c.createStatement()) {
            s.execute(sql);
        }
    }

    /**
     * Answers are lost after the commit, connections are killed before it. Whatever a caller was
     * told must stand in the journal, and what nobody was told must be undone.
     */
    @Test
    void admit_answersAreLostUnderLoad_booksBalanceAndNothingIsOver() throws Exception {
        long limit = 100_000;
        DatabaseConfig login = database.gateway();
        try (LossyProxy proxy = new LossyProxy(login.url())) {
            DatabaseConfig lossy =
                    new DatabaseConfig(
                            proxy.through(login.url()), login.user(), login.password(), 2);
            Duration deadline = Duration.ofSeconds(2);
            Lanes[] both = {replica(limit, lossy, deadline), replica(limit, lossy, deadline)};
            Set<UUID> told = ConcurrentHashMap.newKeySet();
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Lanes lanes = both[i % 2];
                callers.add(threads.submit(() -> callUntil(over, lanes, told)));
            }
            await(() -> told.size() > 100);
            for (int i = 0; i < 10; i++) {
                int lost = proxy.lost.get();
                await(
                        () -> {
                            proxy.loseAnswers();
                            return proxy.lost.get() > lost;
                        });
                awaitMore(told);
                asSuperuser(KILL_LANES);
                awaitMore(told);
            }
            over.set(true);
            for (Future<?> caller : callers) {
                caller.get();
            }

            assertThat(proxy.lost.get()).as("answers lost").isPositive();
            await(() -> balanced(told));
            assertThat(fixture.unsent()).as("undone").isNotEmpty();
            assertThat(told).hasSizeLessThanOrEqualTo((int) limit);
            assertThat(fixture.used(counter())).isEqualTo(told.size());
        }
    }

    private static void awaitMore(Set<UUID> told) throws InterruptedException {
        int before = told.size();
        await(() -> told.size() > before);
    }

    private void callUntil(AtomicBoolean over, Lanes lanes, Set<UUID> told) {
        while (!over.get()) {
            AdmissionRequest request = request();
            if (lanes.admit(request) instanceof Verdict.Admitted) {
                told.add(request.call());
            }
        }
    }

    private boolean balanced(Set<UUID> told) {
        Set<UUID> sent = fixture.intents();
        Set<UUID> unsent = fixture.unsent();
        if (!sent.containsAll(unsent) || !sent.containsAll(told)) {
            throw new AssertionError("an outcome or an answer without its intent");
        }
        sent.removeAll(unsent);
        return sent.equals(told);
    }

    @Test
    void admit_twoReplicasOneBudget_shareItExactly() throws Exception {
        Lanes[] both = {replica(500), replica(500)};
        List<Future<Verdict>> verdicts = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            Lanes lanes = both[i % 2];
            verdicts.add(threads.submit(() -> lanes.admit(request())));
        }
        int admitted = 0;
        for (Future<Verdict> verdict : verdicts) {
            admitted += verdict.get() instanceof Verdict.Admitted ? 1 : 0;
        }

        assertThat(admitted).isEqualTo(500);
        assertThat(fixture.used(counter())).isEqualTo(500);
    }

    @Test
    void admit_epochRaisedInTheDatabase_isAdmittedUnderTheNewOne() throws Exception {
        Lanes lanes = replica(10);
        fixture.raiseEpoch();
        long epoch = fixture.epoch();
        control.onRefresh(
                () ->
                        ControlStates.publish(
                                control.view(),
                                ControlStates.clear(
                                        epoch,
                                        List.of(budget(10)),
                                        Map.of("s", Mode.ENFORCE),
                                        System.nanoTime() + FixedControl.HOUR_NANOS)));

        assertThat(lanes.admit(request()))
                .isInstanceOfSatisfying(
                        Verdict.Admitted.class, a -> assertThat(a.epoch()).isEqualTo(epoch));
    }

    @Test
    void admit_databaseTurnsReadOnlyAndBack_refusesMeanwhile() throws Exception {
        Lanes lanes = replica(10, database.gateway(), Duration.ofMillis(500));
        await(() -> lanes.admit(request()) instanceof Verdict.Admitted);
        String name = database.name();
        try (Connection admin = database.connectAsSuperuser();
                Statement s = admin.createStatement()) {
            s.execute("alter database " + name + " set default_transaction_read_only = on");
            s.execute(KILL_LANES);

            assertThat(lanes.admit(request())).isInstanceOf(Verdict.Unavailable.class);
            assertThat(lanes.admit(request())).isInstanceOf(Verdict.Unavailable.class);

            s.execute("alter database " + name + " reset default_transaction_read_only");
        }
        await(lanes::connected);
        await(() -> lanes.admit(request()) instanceof Verdict.Admitted);
    }

    @Test
    void admit_incarnationIsFenced_isOverOnBothSides() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        control = new FixedControl(fixture.epoch(), List.of(budget(10)));
        Lanes lanes =
                new Lanes(
                        LanesConfig.DEFAULT,
                        fixture.opener(),
                        control,
                        AdmissionListener.NONE,
                        () -> over.set(true),
                        System::nanoTime);
        replicas.add(lanes);
        lanes.start();
        await(lanes::connected);
        fixture.fence();

        assertThat(lanes.admit(request())).isInstanceOf(Verdict.Unavailable.class);
        await(over::get);
        assertThat(fixture.used(counter())).isZero();
    }
}

package io.penstock.cluster.admission;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.budget.Batches;
import io.penstock.budget.Budget;
import io.penstock.budget.Mode;
import io.penstock.budget.Subject;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.testing.TestDatabase;
import io.penstock.cluster.testing.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A primary dies under load after its link to the synchronous standby went, and the standby is
 * promoted: whatever a caller was told is there, and every budget is what it was.
 */
@Timeout(120)
final class LedgerFailoverIT {
    private static final Subject BOB = new Subject("t", "bob", "s", "tool", null);
    private static final Budget BUDGET = Batches.budget("b", 1_000_000, Batches.LONG, Mode.ENFORCE);

    @TempDir Path folder;

    @Test
    void failover_toTheSynchronousStandby_losesAndGivesNothingTwice() throws Exception {
        EmbeddedPostgres made = EmbeddedPostgres.start(EmbeddedOptions.in(folder.resolve("one")));
        TestDatabase database = new TestServer(made.owner()).fresh();
        made.close();
        copy(folder.resolve("one"), folder.resolve("two"));
        Files.createFile(folder.resolve("two").resolve("data").resolve("standby.signal"));
        EmbeddedPostgres first =
                EmbeddedPostgres.start(
                        EmbeddedOptions.in(folder.resolve("one")).onPort(made.port()));
        int port = freePort();
        try (LossyProxy link = new LossyProxy(first.owner().url());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<EmbeddedPostgres> standby =
                    threads.submit(() -> EmbeddedPostgres.start(standby(first, link, port)));
            try {
                waitsForTheStandby(database);
                overload(database, threads, link, first, port);
            } finally {
                promote();
                standby.get().close();
            }
        } finally {
            first.close();
        }
    }

    private void overload(
            TestDatabase database,
            ExecutorService threads,
            LossyProxy link,
            EmbeddedPostgres first,
            int port)
            throws Exception {
        Set<UUID> told = ConcurrentHashMap.newKeySet();
        AtomicBoolean over = new AtomicBoolean();
        FixedControl control = control(database);
        try (Lanes lanes = lanes(database, port, control)) {
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Snapshot state = control.view().current();
                callers.add(threads.submit(() -> callUntil(over, lanes, state, told)));
            }
            await(() -> told.size() > 500);

            link.cut();
            Thread.sleep(300);
            first.crash();
            int before = told.size();
            promote();

            await(() -> told.size() > before + 500);
            over.set(true);
            for (Future<?> caller : callers) {
                caller.get();
            }
            await(() -> balanced(at(database, port), told));
        }
    }

    /** Answers nobody until it is promoted. */
    private EmbeddedOptions standby(EmbeddedPostgres first, LossyProxy link, int port) {
        DatabaseConfig owner = first.owner();
        URI through = URI.create(link.through(owner.url()).substring("jdbc:".length()));
        String primary =
                "host=127.0.0.1 port=%d user=%s password=%s"
                        .formatted(
                                through.getPort(),
                                owner.user(),
                                Objects.requireNonNull(owner.password()));
        return EmbeddedOptions.in(folder.resolve("two"))
                .onPort(port)
                .with(Map.of("primary_conninfo", primary, "hot_standby", "off"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void waitsForTheStandby(TestDatabase database) throws Exception {
        try (Connection c = database.connectAsSuperuser()) {
            await(() -> number(c, "select count(*) from pg_stat_replication") == 1);
            execute(c, "alter system set synchronous_standby_names = '*'");
            execute(c, "select pg_reload_conf()");
            await(
                    () ->
                            number(
                                            c,
                                            "select count(*) from pg_stat_replication where"
                                                    + " sync_state = 'sync'")
                                    == 1);
        }
    }

    /** As {@code pg_ctl promote} does; once promoted it waits for no standby. */
    private void promote() throws Exception {
        Path data = folder.resolve("two").resolve("data");
        if (Files.exists(data.resolve("standby.signal"))) {
            Files.writeString(data.resolve("promote"), "");
            String pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip();
            new ProcessBuilder("kill", "-USR1", pid).start().waitFor();
        }
    }

    /** The same database, by its superuser, on another port. */
    private static DatabaseConfig at(TestDatabase database, int port) {
        DatabaseConfig superuser = database.superuser();
        return new DatabaseConfig(
                superuser.url().replaceFirst(":\\d+/", ":" + port + "/"),
                superuser.user(),
                superuser.password(),
                1);
    }

    private static FixedControl control(TestDatabase database) throws SQLException {
        try (Connection c = database.connectAsOwner()) {
            return new FixedControl(
                    number(c, "select epoch from penstock.control"), List.of(BUDGET));
        }
    }

    private static Lanes lanes(TestDatabase database, int standby, FixedControl control)
            throws SQLException {
        UUID incarnation = Incarnations.register(database);
        DatabaseConfig gateway = database.gateway();
        Connector connector =
                new Connector(
                        new DatabaseConfig(
                                gateway.url()
                                        .replaceFirst("(:\\d+)/", "$1,127.0.0.1:" + standby + "/"),
                                gateway.user(),
                                gateway.password(),
                                2));
        Lanes lanes =
                new Lanes(
                        new LanesConfig(Duration.ofSeconds(2), 10_000, 2),
                        new PostgresLaneOpener(
                                () -> connector.open(Purpose.LANE), c -> {}, incarnation),
                        control,
                        AdmissionListener.NONE,
                        () -> {},
                        System::nanoTime);
        lanes.start();
        return lanes;
    }

    private static void callUntil(AtomicBoolean over, Lanes lanes, Snapshot state, Set<UUID> told) {
        while (!over.get()) {
            UUID call = UUID.randomUUID();
            AdmissionRequest request =
                    new AdmissionRequest(
                            call,
                            BOB,
                            state.rules().budgets().claim(BOB, Mode.ENFORCE),
                            "tools/call",
                            state,
                            60_000,
                            System.nanoTime());
            if (lanes.admit(request) instanceof Verdict.Admitted) {
                told.add(call);
            }
        }
    }

    /** Intents that were not undone are the calls that somebody was told of, and were charged. */
    private static boolean balanced(DatabaseConfig database, Set<UUID> told) throws SQLException {
        try (Connection c = new Connector(database).open(Purpose.OPERATOR)) {
            Set<UUID> sent = calls(c, "kind = 'intent'");
            assertThat(sent).as("what was told is there").containsAll(told);
            sent.removeAll(calls(c, "outcome = 'not-sent'"));
            long used = number(c, "select used from penstock.counter where key like '%:b%'");
            return sent.equals(told) && used == told.size();
        }
    }

    private static Set<UUID> calls(Connection c, String where) throws SQLException {
        Set<UUID> calls = new HashSet<>();
        try (PreparedStatement s =
                        c.prepareStatement("select call from penstock.journal where " + where);
                ResultSet rows = s.executeQuery()) {
            while (rows.next()) {
                calls.add(rows.getObject(1, UUID.class));
            }
        }
        return calls;
    }

    private static long number(Connection c, String sql) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql);
                ResultSet row = s.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (PreparedStatement s = c.prepareStatement(sql)) {
            s.execute();
        }
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + 30_000_000_000L;
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("it never came true").isLessThan(end);
            Thread.sleep(5);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), COPY_ATTRIBUTES);
            }
        }
    }
}

package io.penstock.cluster.testing;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.EmbeddedOptions;
import io.penstock.cluster.postgres.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A primary with a synchronous standby, which answers nobody before it is promoted; both with the
 * same database, on ports of their own.
 */
public final class StandbyPair implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Path folder;
    private final EmbeddedPostgres primary;
    private TestDatabase database;
    private final int standbyPort;
    private final FutureTask<EmbeddedPostgres> standby;

    private StandbyPair(
            Path folder,
            EmbeddedPostgres primary,
            TestDatabase database,
            int standbyPort,
            UnaryOperator<String> link) {
        this.folder = folder;
        this.primary = primary;
        this.database = database;
        this.standbyPort = standbyPort;
        standby = new FutureTask<>(() -> EmbeddedPostgres.start(standby(link)));
        Thread.ofVirtual().start(standby);
    }

    /**
     * Starts both; returns once commits wait for the standby.
     *
     * @param link from the primary's URL to the one that the standby reads it by
     */
    public static StandbyPair start(Path folder, UnaryOperator<String> link) {
        EmbeddedPostgres made = EmbeddedPostgres.start(EmbeddedOptions.in(folder.resolve("one")));
        TestDatabase database = new TestServer(made.owner()).fresh();
        made.close();
        try {
            copy(folder.resolve("one"), folder.resolve("two"));
            Files.createFile(folder.resolve("two").resolve("data").resolve("standby.signal"));
            EmbeddedPostgres primary =
                    EmbeddedPostgres.start(
                            EmbeddedOptions.in(folder.resolve("one")).onPort(made.port()));
            var pair = new StandbyPair(folder, primary, database, freePort(), link);
            pair.awaitStandby();
            // Whoever drops it at the end finds it on the server that lives.
            pair.database = pair.with(new TestServer(pair.either(primary.owner())), login -> login);
            return pair;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), COPY_ATTRIBUTES);
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private EmbeddedOptions standby(UnaryOperator<String> link) {
        DatabaseConfig owner = primary.owner();
        URI through = URI.create(link.apply(owner.url()).substring("jdbc:".length()));
        String source =
                "host=127.0.0.1 port=%d user=%s password=%s"
                        .formatted(
                                through.getPort(),
                                owner.user(),
                                Objects.requireNonNull(owner.password()));
        return EmbeddedOptions.in(folder.resolve("two"))
                .onPort(standbyPort)
                .with(Map.of("primary_conninfo", source, "hot_standby", "off"));
    }

    private void awaitStandby() {
        try (Connection c = database.connectAsSuperuser()) {
            await(c, "select count(*) from pg_stat_replication");
            execute(c, "alter system set synchronous_standby_names = '*'");
            execute(c, "select pg_reload_conf()");
            await(c, "select count(*) from pg_stat_replication where sync_state = 'sync'");
        } catch (SQLException e) {
            throw new IllegalStateException("no standby", e);
        }
    }

    private static void await(Connection connection, String count) throws SQLException {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (true) {
            try (PreparedStatement s = connection.prepareStatement(count);
                    ResultSet row = s.executeQuery()) {
                if (row.next() && row.getLong(1) == 1) {
                    return;
                }
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("it never became 1: " + count);
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement s = connection.prepareStatement(sql)) {
            s.execute();
        }
    }

    /** On the primary. */
    public TestDatabase database() {
        return database;
    }

    /** The same database on the standby, which must be promoted for it. */
    public TestDatabase onStandby() {
        return with(database.server(), this::toStandby);
    }

    private TestDatabase with(TestServer server, UnaryOperator<DatabaseConfig> login) {
        return new TestDatabase(
                server,
                database.name(),
                login.apply(database.owner()),
                login.apply(database.gateway()),
                login.apply(database.operator()),
                login.apply(database.superuser()));
    }

    private DatabaseConfig toStandby(DatabaseConfig login) {
        return with(login, login.url().replaceFirst(":\\d+/", ":" + standbyPort + "/"));
    }

    /** By a URL that names both. */
    public DatabaseConfig either(DatabaseConfig login) {
        return with(
                login, login.url().replaceFirst("(:\\d+)/", "$1,127.0.0.1:" + standbyPort + "/"));
    }

    private static DatabaseConfig with(DatabaseConfig login, String url) {
        return new DatabaseConfig(url, login.user(), login.password(), login.poolSize());
    }

    /** As a power cut does. */
    public void crashPrimary() {
        primary.crash();
    }

    /** As {@code pg_ctl promote} does; once promoted it waits for no standby. */
    public void promote() {
        Path data = folder.resolve("two").resolve("data");
        try {
            if (Files.exists(data.resolve("standby.signal"))) {
                Files.writeString(data.resolve("promote"), "");
                String pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip();
                new ProcessBuilder("kill", "-USR1", pid).start().waitFor();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends both. */
    @Override
    public void close() {
        promote();
        try {
            standby.get().close();
        } catch (ExecutionException | CancellationException e) {
            throw new IllegalStateException("the standby did not start", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            primary.close();
        }
    }
}

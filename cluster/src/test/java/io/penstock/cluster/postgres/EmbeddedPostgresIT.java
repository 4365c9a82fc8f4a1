package io.penstock.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedPostgresIT {
    @TempDir private Path folder;

    @Test
    void start_settings_areDurableAndLocal() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.temporary())) {
            assertThat(setting(server, "fsync")).isEqualTo("on");
            assertThat(setting(server, "synchronous_commit")).isEqualTo("on");
            assertThat(setting(server, "full_page_writes")).isEqualTo("on");
            assertThat(setting(server, "listen_addresses")).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void start_wrongPassword_isRefused() {
        try (EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.temporary())) {
            Connector stranger =
                    new Connector(server.owner().as(EmbeddedPostgres.NAME, "not-the-password"));

            assertThatThrownBy(() -> stranger.open(Purpose.POOL))
                    .isInstanceOf(SQLException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("28P01");
        }
    }

    @Test
    void start_afterCrash_hasWhatWasCommitted() throws Exception {
        EmbeddedPostgres first = EmbeddedPostgres.start(EmbeddedOptions.in(folder));
        execute(first, "create table public.kept as select 42 as answer");
        first.crash();

        try (EmbeddedPostgres second =
                EmbeddedPostgres.start(EmbeddedOptions.in(folder).onPort(first.port()))) {
            assertThat(second.port()).isEqualTo(first.port());
            assertThat(value(second, "select answer from public.kept")).isEqualTo("42");
        }
    }

    @Test
    void start_folderInUse_saysSo() {
        try (EmbeddedPostgres first = EmbeddedPostgres.start(EmbeddedOptions.in(folder))) {
            assertThat(first.pid()).isPositive();

            assertThatThrownBy(() -> EmbeddedPostgres.start(EmbeddedOptions.in(folder)))
                    .isInstanceOf(PostgresException.class)
                    .hasMessageContaining("postmaster.pid");
        }
    }

    /** Kills the process that started a server, as the kernel would; the server has to follow. */
    @Test
    void parentKilled_serverAndFolderGo() throws Exception {
        Process parent =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElse("java"),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Parent.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String[] told;
        try (var reader = parent.inputReader()) {
            told = reader.readLine().split(" ", 2);
            ProcessHandle server = ProcessHandle.of(Long.parseLong(told[0])).orElseThrow();
            List<ProcessHandle> family = server.descendants().toList();
            assertThat(family).isNotEmpty();

            parent.destroyForcibly().waitFor();

            assertThat(server.onExit().get(30, TimeUnit.SECONDS).isAlive()).isFalse();
            for (ProcessHandle backend : family) {
                backend.onExit().get(30, TimeUnit.SECONDS);
            }
        }
        await(() -> !Files.exists(Path.of(told[1])));
    }

    /** Run as a process of its own. */
    static final class Parent {
        public static void main(String[] arguments) throws Exception {
            EmbeddedPostgres server = EmbeddedPostgres.start(EmbeddedOptions.temporary());
            System.out.println(server.pid() + " " + value(server, "show data_directory"));
            Thread.sleep(Duration.ofMinutes(5));
        }
    }

    private static void await(java.util.function.BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    private static String setting(EmbeddedPostgres server, String name) throws SQLException {
        return value(server, "show " + name);
    }

    private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = new Connector(server.owner()).open(Purpose.OPERATOR);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String value(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = new Connector(server.owner()).open(Purpose.OPERATOR);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}

package io.penstock.cluster.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cluster.doctor.Finding.Severity;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.testing.Programs;
import io.penstock.cluster.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A real PgBouncer that hands server sessions from client to client. */
@EnabledIf("available")
final class PoolerIT {
    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    @TempDir Path folder;
    private @Nullable Process pooler;

    static boolean available() {
        return Programs.installed("pgbouncer", PROGRAM);
    }

    @AfterEach
    void endPooler() throws InterruptedException {
        if (pooler != null) {
            pooler.destroy();
            pooler.waitFor();
        }
    }

    @Test
    void examine_throughATransactionPooler_isAnErrorThatSaysWhatToDo() throws Exception {
        try (TestDatabase database = TestDatabase.fresh()) {
            List<Finding> findings =
                    new Doctor(InstantSource.system(), System::nanoTime)
                            .examine(pooled(database.gateway(), "transaction"), Expectations.NONE);

            assertThat(findings)
                    .filteredOn(f -> f.check().equals("pooler"))
                    .singleElement()
                    .satisfies(
                            f -> {
                                assertThat(f.severity()).isEqualTo(Severity.ERROR);
                                assertThat(f.action()).contains("connect replicas to Postgres");
                            });
            assertThat(findings)
                    .filteredOn(f -> f.check().equals("notify"))
                    .extracting(Finding::severity)
                    .doesNotContain(Severity.GOOD);
        }
    }

    /** The same database through it, at {@code localhost}. */
    private DatabaseConfig pooled(DatabaseConfig login, String mode) throws Exception {
        String address = login.address();
        String server = address.substring(address.indexOf("//") + 2, address.lastIndexOf('/'));
        String name = address.substring(address.lastIndexOf('/') + 1);
        int port = freePort();
        Path file =
                Files.writeString(
                        folder.resolve("pgbouncer.ini"),
                        """
                        [databases]
                        %s = host=%s port=%s user=%s password=%s
                        [pgbouncer]
                        listen_addr = 127.0.0.1
                        listen_port = %d
                        unix_socket_dir =
                        auth_type = any
                        pool_mode = %s
                        ignore_startup_parameters = extra_float_digits, options
                        """
                                .formatted(
                                        name,
                                        server.substring(0, server.indexOf(':')),
                                        server.substring(server.indexOf(':') + 1),
                                        login.user(),
                                        login.password(),
                                        port,
                                        mode));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        List<String> command = new ArrayList<>(List.of(PROGRAM.toString()));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.add(file.toString());
        Path log = folder.resolve("log");
        pooler =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        awaitPort(port, log);
        return new DatabaseConfig(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + name,
                login.user(),
                login.password(),
                1);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void awaitPort(int port, Path log) throws Exception {
        long end = System.nanoTime() + 20_000_000_000L;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException e) {
                if (System.nanoTime() > end || pooler == null || !pooler.isAlive()) {
                    throw new AssertionError("no pooler: " + Files.readString(log), e);
                }
                Thread.sleep(20);
            }
        }
    }
}

package io.penstock.cluster.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A Postgres of our own, started from the programs on the class path: durable ({@code fsync} and
 * {@code synchronous_commit} on), on the loopback address only, with a password.
 *
 * <p><b>Guarantee.</b> It does not outlive this process, however that dies: a small shell holds the
 * other end of a pipe, stops the server when the pipe breaks, and deletes a temporary folder. It is
 * in a session of its own, so that Ctrl-C in a terminal does not stop it before those who use it.
 *
 * <p><b>Failure.</b> {@link PostgresException} with the end of the server's log.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@link #close} is idempotent and takes 20 s at most.
 *
 * <p><b>Cost.</b> About a second the first time on a machine, then 0.6 s for a new folder and 0.2 s
 * for an old one.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    /** The superuser, and the database it owns. */
    public static final String NAME = "penstock";

    private static final long START_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
    private static final long STOP_SECONDS_MAX = 15;
    private static final int PORT_ATTEMPTS = 5;

    private static final String WATCHER =
            """
            temporary=$1; how=$2; shift 2
            exec 3<&0
            "$@" </dev/null 3<&- &
            server=$!
            {
              cat <&3 >/dev/null
              if [ -n "$temporary" ]; then : >"$temporary/ended"; fi
              while kill -"$how" "$server" 2>/dev/null; do sleep 0.2; done
            } &
            watch=$!
            exec 3<&-
            wait "$server"; code=$?
            kill "$watch" 2>/dev/null
            if [ -n "$temporary" ] && [ -e "$temporary/ended" ]; then rm -rf "$temporary"; fi
            exit "$code"
            """;

    private final Path folder;
    private final int port;
    private final String password;
    private final Process watcher;
    private final boolean temporary;

    private EmbeddedPostgres(
            Path folder, int port, String password, Process watcher, boolean temporary) {
        this.folder = folder;
        this.port = port;
        this.password = password;
        this.watcher = watcher;
        this.temporary = temporary;
    }

    /** Starts a server and returns when it answers. */
    public static EmbeddedPostgres start(EmbeddedOptions options) {
        Path home = PostgresBinaries.unpacked();
        return start(options, home.resolve("bin"));
    }

    /** The same with the programs of another folder, for tests against another version. */
    public static EmbeddedPostgres start(EmbeddedOptions options, Path programs) {
        try {
            Users users = Users.choose();
            long deadline = System.nanoTime() + START_NANOS_MAX;
            for (int attempt = 1; ; attempt++) {
                try {
                    return attempt(options, programs, users, deadline);
                } catch (PostgresException e) {
                    if (!worthAnotherTry(e, options.port(), attempt, deadline)) {
                        throw e;
                    }
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } catch (FileSystemException e) {
            String reason = e.getReason() == null ? "permission denied" : e.getReason();
            throw new PostgresException(
                    "cannot start the embedded Postgres as the user "
                            + System.getProperty("user.name")
                            + ": "
                            + e.getFile()
                            + ": "
                            + reason,
                    e);
        } catch (IOException e) {
            throw new PostgresException("cannot start the embedded Postgres: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresException("interrupted while the embedded Postgres started", e);
        }
    }

    public int port() {
        return port;
    }

    /** The superuser on the database {@value #NAME}. */
    public DatabaseConfig owner() {
        return database(NAME);
    }

    /** The superuser on some database of the server. */
    public DatabaseConfig database(String name) {
        String url = "jdbc:postgresql://127.0.0.1:" + port + "/" + name;
        return new DatabaseConfig(url, NAME, password, DatabaseConfig.POOL_SIZE);
    }

    /** The server's process, for those who want to freeze or kill it. */
    public long pid() {
        try {
            return Long.parseLong(Files.readAllLines(pidFile(folder)).getFirst().trim());
        } catch (IOException | RuntimeException e) {
            throw new PostgresException("the embedded Postgres does not run", e);
        }
    }

    /** Kills the server as a power cut would; its folder can be started again. */
    public void crash() {
        ProcessHandle.of(pid()).ifPresent(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    @Override
    public void close() {
        try {
            watcher.getOutputStream().close();
        } catch (IOException e) {
            // The watcher is gone already, and the server with it.
        }
        awaitEnd();
    }

    private void awaitEnd() {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS_MAX);
        while (watcher.isAlive() && System.nanoTime() < deadline) {
            try {
                watcher.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (watcher.isAlive()) {
            watcher.descendants().forEach(ProcessHandle::destroyForcibly);
            watcher.destroyForcibly();
        }
        if (temporary && Files.exists(folder)) {
            try {
                PostgresBinaries.delete(folder);
            } catch (IOException e) {
                System.getLogger(EmbeddedPostgres.class.getName())
                        .log(System.Logger.Level.DEBUG, "folder left: " + folder, e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static Path temporaryFolder() throws IOException {
        return Files.createTempDirectory("penstock-postgres-").toRealPath();
    }

    private static Path ownFolder(Path given) throws IOException {
        Path folder = Files.createDirectories(given.toAbsolutePath()).toRealPath();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return folder;
    }

    /** Makes the cluster if it is not there; returns the superuser's password. */
    private static String prepare(Path folder, Path programs, Users users, boolean temporary)
            throws IOException, InterruptedException {
        Path passwordFile = folder.resolve("password");
        try (FileChannel channel =
                        FileChannel.open(
                                folder.resolve("lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (Files.exists(folder.resolve("data").resolve("PG_VERSION"))
                    && Files.exists(passwordFile)) {
                checkVersion(folder, programs);
                users.own(folder);
                return Files.readString(passwordFile).trim();
            }
            PostgresBinaries.delete(folder.resolve("half"));
            String password = newPassword();
            Files.deleteIfExists(passwordFile);
            Files.createFile(
                    passwordFile,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------")));
            Files.writeString(passwordFile, password + "\n");
            users.own(folder);
            initialise(folder, programs, users, temporary);
            Files.move(folder.resolve("half"), folder.resolve("data"));
            return password;
        }
    }

    private static void checkVersion(Path folder, Path programs)
            throws IOException, InterruptedException {
        String there = Files.readString(folder.resolve("data").resolve("PG_VERSION")).trim();
        Process process =
                new ProcessBuilder(programs.resolve("postgres").toString(), "--version").start();
        String ours = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        if (!ours.contains(" " + there + ".")) {
            throw new PostgresException(
                    folder
                            + " was made by Postgres "
                            + there
                            + ", ours says '"
                            + ours.trim()
                            + "': use another folder, or move it aside");
        }
    }

    private static void initialise(Path folder, Path programs, Users users, boolean temporary)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(users.prefix());
        command.add(programs.resolve("initdb").toString());
        command.addAll(List.of("-D", folder.resolve("half").toString(), "-U", NAME));
        command.addAll(List.of("--pwfile", folder.resolve("password").toString()));
        command.addAll(List.of("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"));
        if (temporary) {
            // Only the power cut that ends the machine could lose it, and then nobody wants it.
            command.add("--no-sync");
        }
        Process process = builder(command, folder).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new PostgresException("initdb failed in " + folder + ":\n" + output.strip());
        }
    }

    private static EmbeddedPostgres attempt(
            EmbeddedOptions options, Path programs, Users users, long deadline)
            throws IOException, InterruptedException {
        Path given = options.folder();
        Path folder = given == null ? temporaryFolder() : ownFolder(given);
        String password = prepare(folder, programs, users, given == null);
        int port = options.port() == 0 ? freePort() : options.port();
        // Each start has its own log: it stays small, and its end says why this start failed.
        Files.deleteIfExists(folder.resolve("server.log"));
        String stale = pidFileStart(folder);
        Process process = spawn(options, folder, programs, users, port);
        EmbeddedPostgres server =
                new EmbeddedPostgres(folder, port, password, process, given == null);
        try {
            server.awaitReady(stale, deadline);
            server.createDatabase();
            return server;
        } catch (PostgresException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /**
     * A free port can be taken by somebody else in between, and the backends of a server that was
     * killed need a moment to notice.
     */
    private static boolean worthAnotherTry(
            PostgresException e, int givenPort, int attempt, long deadline) {
        String message = String.valueOf(e.getMessage());
        boolean portTaken = message.contains("Address already in use");
        boolean leftovers = message.contains("pre-existing shared memory block");
        return (leftovers && System.nanoTime() < deadline)
                || (portTaken && givenPort == 0 && attempt < PORT_ATTEMPTS);
    }

    private static Process spawn(
            EmbeddedOptions options, Path folder, Path programs, Users users, int port)
            throws IOException {
        Path log = folder.resolve("server.log");
        boolean temporary = options.folder() == null;
        List<String> command = new ArrayList<>(users.prefix());
        if (!users.ownSession()) {
            command.addAll(ownSession());
        }
        command.addAll(List.of("/bin/sh", "-c", WATCHER, "penstock-postgres"));
        command.addAll(List.of(temporary ? folder.toString() : "", temporary ? "QUIT" : "INT"));
        command.add(programs.resolve("postgres").toString());
        command.addAll(List.of("-D", folder.resolve("data").toString()));
        settings(options, port).forEach((k, v) -> command.addAll(List.of("-c", k + "=" + v)));
        return builder(command, folder)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private static Map<String, String> settings(EmbeddedOptions options, int port) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("listen_addresses", "127.0.0.1");
        settings.put("port", Integer.toString(port));
        settings.put("unix_socket_directories", "");
        settings.put("fsync", "on");
        settings.put("full_page_writes", "on");
        settings.put("synchronous_commit", "on");
        settings.put("max_connections", "200");
        settings.put("shared_buffers", "128MB");
        settings.put("jit", "off");
        settings.put("log_min_messages", "error");
        settings.put("log_checkpoints", "off");
        settings.put("log_line_prefix", "%m [%p] %a ");
        settings.put("log_timezone", "UTC");
        settings.put("timezone", "UTC");
        settings.putAll(options.settings());
        return settings;
    }

    /** Away from the terminal's signals, where the system has a command for it. */
    private static List<String> ownSession() {
        for (String path : List.of("/usr/bin/setsid", "/bin/setsid")) {
            if (Files.isExecutable(Path.of(path))) {
                return List.of(path);
            }
        }
        Path perl = Path.of("/usr/bin/perl");
        if (Files.isExecutable(perl)) {
            return List.of(perl.toString(), "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV");
        }
        return List.of();
    }

    private static ProcessBuilder builder(List<String> command, Path folder) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PG") || name.startsWith("LC_"));
        // macOS: another locale starts a thread in the server, which then refuses to run.
        environment.put("LC_ALL", "C");
        return builder;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    private static String newPassword() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    }

    /** Process and start time in a pid file that a killed server left; it still says "ready". */
    private static String pidFileStart(Path folder) {
        try {
            return start(Files.readAllLines(pidFile(folder)));
        } catch (IOException e) {
            return "";
        }
    }

    private static String start(List<String> pidFile) {
        return String.join(" ", pidFile.subList(0, Math.min(3, pidFile.size())));
    }

    private static Path pidFile(Path folder) {
        return folder.resolve("data").resolve("postmaster.pid");
    }

    private void awaitReady(String stale, long deadline) throws InterruptedException {
        while (watcher.isAlive()) {
            if (ready(stale)) {
                return;
            }
            if (System.nanoTime() > deadline) {
                throw new PostgresException("Postgres did not get ready in 60 s:\n" + log());
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
        throw new PostgresException("Postgres ended at its start:\n" + log());
    }

    /** The eighth line of the server's pid file says so, and the fourth that the port is ours. */
    private boolean ready(String stale) {
        try {
            List<String> lines = Files.readAllLines(pidFile(folder));
            return lines.size() >= 8
                    && !start(lines).equals(stale)
                    && lines.get(3).trim().equals(Integer.toString(port))
                    && lines.get(7).startsWith("ready");
        } catch (IOException e) {
            return false;
        }
    }

    private void createDatabase() {
        Connector connector = new Connector(database("postgres"));
        try (var connection = connector.open(Purpose.MIGRATE);
                var statement = connection.createStatement()) {
            boolean there;
            try (var rows =
                    statement.executeQuery(
                            "select 1 from pg_database where datname = '" + NAME + "'")) {
                there = rows.next();
            }
            if (!there) {
                statement.execute("create database " + NAME);
            }
        } catch (java.sql.SQLException e) {
            throw new PostgresException("the embedded Postgres does not answer: " + e, e);
        }
    }

    private String log() {
        try {
            String all = Files.readString(folder.resolve("server.log"));
            return all.substring(Math.max(0, all.length() - 2000)).strip();
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }
}

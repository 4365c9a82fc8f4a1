package io.penstock.e2e;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.testing.TestDatabase;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A whole cluster for one test: a database of its own, the counting upstream, replicas, and HAProxy
 * before them.
 */
final class Gate implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    static final Path PSQL = Path.of("/usr/lib/postgresql/15/bin/psql");

    private final TestDatabase database;
    private final Upstream upstream;
    private final Path folder;
    private final Settings settings;
    private final List<Replica> replicas = new ArrayList<>();
    private @Nullable Balancer balancer;

    private Gate(TestDatabase database, UnaryOperator<Settings> change) {
        this.database = database;
        this.upstream = Upstream.start();
        this.folder = Program.FOLDER.resolve("gate-" + COUNT.incrementAndGet());
        this.settings = change.apply(Settings.of(folder, database.gateway(), upstream.port()));
    }

    /** A cluster with nothing running yet but its database and its upstream. */
    static Gate prepare(UnaryOperator<Settings> settings) {
        return new Gate(TestDatabase.fresh(), settings);
    }

    /** The same on a database of the test's choice. */
    static Gate on(TestDatabase database, UnaryOperator<Settings> settings) {
        return new Gate(database, settings);
    }

    /** A cluster that admits, behind HAProxy. */
    static Gate start(int replicas, UnaryOperator<Settings> settings) {
        Gate gate = prepare(settings);
        try {
            for (int i = 0; i < replicas; i++) gate.add(String.valueOf((char) ('a' + i))).launch();
            gate.replicas.forEach(Replica::awaitAdmitting);
            gate.balance();
            return gate;
        } catch (Throwable e) {
            gate.close();
            throw e;
        }
    }

    /** One more replica with its file, not running yet. */
    Replica add(String name) {
        Replica replica = Replica.of(name, settings);
        replicas.add(replica);
        return replica;
    }

    Replica add(Replica replica) {
        replicas.add(replica);
        return replica;
    }

    /** Puts HAProxy before all replicas there are. */
    void balance() {
        balancer = Balancer.start(replicas);
    }

    TestDatabase database() {
        return database;
    }

    Upstream upstream() {
        return upstream;
    }

    Settings settings() {
        return settings;
    }

    Replica replica(int index) {
        return replicas.get(index);
    }

    List<Replica> replicas() {
        return List.copyOf(replicas);
    }

    /** Where agents call. */
    int port() {
        return Objects.requireNonNull(balancer, "no balancer").port();
    }

    /** One call on a connection of its own, through HAProxy. */
    Wire.Answer call(byte[] request) {
        return call(port(), request);
    }

    static Wire.Answer call(int port, byte[] request) {
        try (Wire wire = Wire.open(port)) {
            return wire.call(request);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /**
     * What a machine that is busy with other things may add to the answers that a test is about.
     */
    static final Set<String> OF_A_BUSY_MACHINE = Set.of("ledger-unavailable", "control-stale");

    /**
     * The same, asked again where a busy machine was why it was refused: such a call has cost
     * nothing.
     */
    Wire.Answer decided(byte[] request) {
        for (int i = 0; i < 50; i++) {
            Wire.Answer answer = call(request);
            if (!OF_A_BUSY_MACHINE.contains(answer.decision())) return answer;
            Await.pause(Duration.ofMillis(100));
        }
        throw new AssertionError("the gate cannot decide");
    }

    /**
     * Waits until a call is admitted. Only the refusals of a busy machine are tried again; any
     * other is a failure at once.
     */
    static void awaitAdmitted(int port, byte[] request) {
        Await.until(
                "a call is admitted",
                () -> {
                    String decision = call(port, request).decision();
                    if (!decision.equals("admitted") && !OF_A_BUSY_MACHINE.contains(decision)) {
                        throw new AssertionError("the call is " + decision);
                    }
                    return decision.equals("admitted");
                });
    }

    /** A command of an operator, with the operator's database credential; not yet ended. */
    Program operator(String... arguments) {
        return Program.start(
                "operator-" + arguments[0], Replica.command(operating(arguments)), Map.of());
    }

    private List<String> operating(String... arguments) {
        List<String> command = new ArrayList<>(List.of(arguments));
        DatabaseConfig login = database.operator();
        Path password =
                settings.file("operator-password", Objects.requireNonNull(login.password()));
        command.addAll(
                List.of(
                        "--database",
                        login.url(),
                        "--user",
                        login.user(),
                        "--password-file",
                        password.toString()));
        return command;
    }

    /** The same, to its end with status 0. */
    String operate(String... arguments) {
        return ended(0, operator(arguments));
    }

    /** {@code migrate} of a version, as the schema's owner, to its end. */
    String migrate(Distribution version) {
        DatabaseConfig owner = database.owner();
        String password = Objects.requireNonNull(owner.password());
        return ended(
                0,
                Program.start(
                        "migrate",
                        version.command(
                                List.of(
                                        "migrate",
                                        "--database",
                                        owner.url(),
                                        "--user",
                                        owner.user(),
                                        "--password-file",
                                        settings.file("owner-password", password).toString())),
                        java.util.Map.of()));
    }

    /** The same, as a person would: by the launcher's script. */
    String launched(String... arguments) {
        List<String> command = new ArrayList<>(List.of("../penstock"));
        command.addAll(operating(arguments));
        return ended(
                0,
                Program.start(
                        "launched-" + arguments[0], command, Map.of("PENSTOCK_BUILD", "never")));
    }

    /** SQL given by psql under the operator's login; what it prints. */
    String psql(String sql) {
        DatabaseConfig login = database.operator();
        URI url = URI.create(login.url().substring("jdbc:".length()));
        List<String> command =
                List.of(
                        PSQL.toString(),
                        "-h",
                        url.getHost(),
                        "-p",
                        String.valueOf(url.getPort()),
                        "-U",
                        login.user(),
                        "-d",
                        url.getPath().substring(1),
                        "-v",
                        "ON_ERROR_STOP=1",
                        "-c",
                        sql);
        return ended(
                0,
                Program.start(
                        "psql",
                        command,
                        Map.of("PGPASSWORD", Objects.requireNonNull(login.password()))));
    }

    /** A command that goes through a replica's admin API, with the token of a role. */
    Program through(Replica replica, String role, String... arguments) {
        return through("http://127.0.0.1:" + replica.adminPort(), "token-to-" + role, arguments);
    }

    Program through(String url, String token, String... arguments) {
        Path file = settings.file("token-" + COUNT.incrementAndGet(), token + "\n");
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addAll(List.of("--admin", url, "--token-file", file.toString()));
        return Program.start("through-" + arguments[0], Replica.command(command), Map.of());
    }

    /** What a command printed, once it has ended with that status. */
    static String ended(int status, Program command) {
        try (Program program = command) {
            int actual =
                    program.awaitExit(Duration.ofSeconds(60))
                            .orElseThrow(() -> program.failure("no end"));
            if (actual != status) throw program.failure("ended with " + actual);
            return program.output();
        }
    }

    /** Rows of a query by the database's superuser, each column as text. */
    List<List<String>> rows(String sql) {
        try (Connection connection = database.connectAsSuperuser();
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet result = statement.executeQuery()) {
            List<List<String>> rows = new ArrayList<>();
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) row.add(String.valueOf(result.getString(i)));
                rows.add(row);
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String sql) {
        return Long.parseLong(rows(sql).getFirst().getFirst());
    }

    /** Waits until a query gives that number; a failure says what it gave last. */
    void awaitNumber(String what, long expected, String sql) {
        Await.until(
                what + " is " + expected,
                Duration.ofSeconds(20),
                () -> {
                    long actual = number(sql);
                    if (actual != expected) throw new IllegalStateException("it is " + actual);
                    return true;
                });
    }

    @Override
    public void close() {
        if (balancer != null) balancer.close();
        replicas.forEach(Replica::close);
        upstream.close();
        database.close();
    }
}

package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does {@code penstock up} do what the README says, and leave nothing behind? By the launcher. */
final class UpIT {
    private static final String CALL =
            """
            {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}\
            """;

    /** A user that every system has, and that is not root. */
    private static final String USER = "nobody";

    @TempDir Path folder;
    private final List<Process> started = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void killWhatIsLeft() {
        for (Process process : started) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        client.close();
    }

    private Process penstock(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("../penstock"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("PENSTOCK_BUILD", "never");
        builder.environment().put("PENSTOCK_RUNTIME_DIR", folder.resolve("run").toString());
        builder.environment().remove("PENSTOCK_DATABASE_URL");
        builder.environment().remove("PENSTOCK_CONFIG");
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        Process process = builder.start();
        started.add(process);
        return process;
    }

    /** Runs a command beside the one that is up, and returns its exit code. */
    private int command(Path output, String... arguments) throws Exception {
        Process process = penstock(output, arguments);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s ends", arguments[0]).isTrue();
        return process.exitValue();
    }

    private Process up(Path output, String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("up", "--port", Integer.toString(port())));
        arguments.addAll(List.of(more));
        Process process = penstock(output, arguments.toArray(String[]::new));
        awaitUp(process, output);
        return process;
    }

    private static void awaitUp(Process process, Path output) throws Exception {
        until(
                "it is up",
                () -> {
                    assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
                    return Files.readString(output).contains("Ctrl-C stops everything.");
                });
    }

    /** Away from the usual ports, which another program of this machine may want. */
    private static int port() {
        return 21_000 + (int) (ProcessHandle.current().pid() % 10_000);
    }

    private static void until(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(90).toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            Thread.sleep(20);
        }
    }

    private JsonNode running() throws IOException {
        try (var files = Files.list(folder.resolve("run"))) {
            Path file =
                    files.filter(path -> path.toString().endsWith(".json"))
                            .findFirst()
                            .orElseThrow();
            return new ObjectMapper().readTree(file.toFile());
        }
    }

    private HttpResponse<String> call(JsonNode running) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(running.path("url").asText() + "/mcp/demo"))
                        .header("Authorization", "Bearer " + running.path("key").asText())
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(BodyPublishers.ofString(CALL))
                        .build();
        return client.send(request, BodyHandlers.ofString());
    }

    private static void awaitGone(List<ProcessHandle> processes) throws Exception {
        until("every process is gone", () -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void up_callOverloadStopInterrupt_worksAndLeavesNothing() throws Exception {
        Path output = folder.resolve("up.txt");
        Process up = up(output);
        List<ProcessHandle> family = up.descendants().toList();
        JsonNode running = running();
        int port = URI.create(running.path("url").asText()).getPort();

        awaitAnswered(running);
        String overload = overload(folder.resolve("o.txt"));
        assertThat(taken(overload, "a")).isPositive();
        assertThat(taken(overload, "b")).isPositive();

        Path stop = folder.resolve("s.txt");
        assertThat(command(stop, "stop", "--all", "--reason", "drill")).isZero();
        assertThat(Files.readString(stop)).containsPattern("(?m)^a +acked").contains("confirmed");
        assertThat(call(running).headers().firstValue("Penstock-Decision")).hasValue("stopped");
        assertThat(command(stop, "resume", "--all", "--reason", "over")).isZero();

        interrupt(up);
        assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(up.exitValue()).isZero();
        awaitGone(family);
        assertThat(folder.resolve("run")).isEmptyDirectory();
        assertThat(answers(port)).isFalse();
    }

    /** On a machine that is busy with something else a call may be refused in time instead. */
    private void awaitAnswered(JsonNode running) throws Exception {
        until("a call is answered", () -> call(running).body().contains("hello"));
    }

    /**
     * The report of an overload that admitted exactly the limit; never more, whatever else the
     * machine does, and less only where it kept the database from deciding in time.
     */
    private String overload(Path output) throws Exception {
        for (int attempt = 0; attempt < 4; attempt++) {
            int code = command(output, "try", "overload");
            String report = Files.readString(output);
            int admitted = Integer.parseInt(found(report, "admitted (?:exactly )?([0-9]+)"));
            assertThat(admitted).as(report).isLessThanOrEqualTo(100);
            if (code == 0) {
                assertThat(report).contains("admitted exactly 100");
                return report;
            }
        }
        throw new AssertionError("never exactly the limit: " + Files.readString(output));
    }

    private static int taken(String overload, String replica) {
        return Integer.parseInt(found(overload, "(?m)^" + replica + " +([0-9]+) "));
    }

    private static String found(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return matcher.group(1);
    }

    /**
     * Ends it as Ctrl-C does. By SIGTERM, which takes the same way: where the build runs in the
     * background, children are born with SIGINT ignored.
     */
    private static void interrupt(Process process) {
        process.destroy();
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void up_cannotStart_failsAndLeavesNothing() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        Path output = folder.resolve("up.txt");
        String[] up = {"up", "--port", String.valueOf(port()), "--data", file + "/data"};

        assertThat(command(output, up)).isEqualTo(1);

        assertThat(Files.readString(output))
                .contains("cannot start the embedded Postgres as the user ", file.toString());
        assertThat(folder.resolve("run")).isEmptyDirectory();
    }

    /** As a person would, with a distribution that belongs to root. Only root can try it. */
    @Test
    void up_asAnotherUser_runsAndItsDatabaseIsItsOwn() throws Exception {
        assumeTrue(
                "root".equals(System.getProperty("user.name")),
                "the tests run as a normal user: so did every other test of up");
        Path home = Files.createTempDirectory("penstock-user-");
        try {
            distribution(home);
            Path data = Files.createDirectory(home.resolve("data"));
            for (Path own : List.of(home, data)) {
                Files.setOwner(own, owner(home, USER));
            }
            assumeTrue(become(home, "java", "-version") == 0, USER + " cannot run this JDK");
            Path output = folder.resolve("up.txt");
            String[] up = {"up", "--port", String.valueOf(port()), "--data", data.toString()};
            Process process = start(as(home, home.resolve("penstock").toString(), up), output);
            awaitUp(process, output);

            assertThat(process.descendants())
                    .hasSizeGreaterThan(3)
                    .allSatisfy(each -> assertThat(each.info().user()).hasValue(USER));
            try (var files = Files.walk(data)) {
                assertThat(files)
                        .hasSizeGreaterThan(100)
                        .allSatisfy(
                                file -> assertThat(Files.getOwner(file).getName()).isEqualTo(USER));
            }
            List<ProcessHandle> family = process.descendants().toList();
            endsWell(process);
            awaitGone(family);
        } finally {
            delete(home);
        }
    }

    @Test
    void up_killed_leavesNothingRunning() throws Exception {
        Process up = up(folder.resolve("up.txt"), "--replicas", "1");
        List<ProcessHandle> family = up.descendants().toList();
        assertThat(family).hasSizeGreaterThan(2);

        up.destroyForcibly();

        awaitGone(family);
        Path status = folder.resolve("status.txt");
        assertThat(command(status, "status")).isEqualTo(2);
        assertThat(Files.readString(status)).contains("which cluster?");
    }

    @Test
    void up_replicaKilled_isReportedAndComesBack() throws Exception {
        Path output = folder.resolve("up.txt");
        Process up = up(output, "--replicas", "2", "--data", folder.resolve("data").toString());
        JsonNode running = running();
        long victim =
                Long.parseLong(found(Files.readString(output), "(?m)^replica a .* ([0-9]+)$"));

        ProcessHandle.of(victim).orElseThrow().destroyForcibly();

        until("it is reported", () -> Files.readString(output).contains("starting it again"));
        until(
                "two replicas are open",
                () -> {
                    Path status = folder.resolve("status.txt");
                    command(status, "status", "--json");
                    return Files.readString(status).split("\"state\" : \"open\"", -1).length == 3;
                });
        awaitAnswered(running);
        interrupt(up);
        assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(folder.resolve("data").resolve("postgres")).isDirectory();
    }

    @Test
    void up_keptDatabaseAndAnotherFile_appliesItsRules() throws Exception {
        String data = folder.resolve("data").toString();
        Path file = folder.resolve("own.yaml");
        Files.writeString(
                file,
                """
                database: { url: embedded }
                drain: { delay: 0s, timeout: 1s }
                servers: [ { name: s, http: "http://127.0.0.1:1/" } ]
                budgets: [ { name: mine, limit: 5, window: 10s } ]
                """);
        endsWell(up(folder.resolve("up-1.txt"), "--replicas", "1", "--data", data));
        Path second = folder.resolve("up-2.txt");

        endsWell(up(second, "--replicas", "1", "--data", data, "--config", file.toString()));

        assertThat(Files.readString(second))
                .contains(
                        "revision 2 has the file's:",
                        "+ budget mine: 5 calls per 10s",
                        "- budget demo-rate");
    }

    /** The launcher and its jars, which anybody may read. */
    private static void distribution(Path home) throws IOException {
        Files.copy(
                Path.of("..", "penstock"),
                home.resolve("penstock"),
                StandardCopyOption.COPY_ATTRIBUTES);
        Path lib = Files.createDirectory(home.resolve("lib"));
        try (var jars = Files.list(Path.of("target", "dist", "lib"))) {
            for (Path jar : jars.toList()) {
                Files.copy(jar, lib.resolve(jar.getFileName().toString()));
            }
        }
    }

    private static UserPrincipal owner(Path file, String name) throws IOException {
        return file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
    }

    private static List<String> as(Path home, String program, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of("setpriv", "--reuid=" + USER, "--regid=65534", "--clear-groups"));
        command.addAll(List.of("env", "-i", "HOME=" + home, "XDG_CACHE_HOME=" + home + "/cache"));
        command.add("JAVA_HOME=" + System.getProperty("java.home"));
        command.add("PATH=" + System.getProperty("java.home") + "/bin:/usr/bin:/bin");
        command.add(program);
        command.addAll(List.of(arguments));
        return command;
    }

    private int become(Path home, String program, String... arguments) throws Exception {
        Process process = start(as(home, program, arguments), folder.resolve("become.txt"));
        return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    private Process start(List<String> command, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Process process = builder.redirectOutput(output.toFile()).start();
        started.add(process);
        return process;
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void endsWell(Process up) throws Exception {
        interrupt(up);
        assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
}

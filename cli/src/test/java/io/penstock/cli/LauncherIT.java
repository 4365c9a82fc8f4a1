package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Does the launcher find Java, build once, and become the command? With stand-ins for both. */
final class LauncherIT {
    private static final Path LAUNCHER = Path.of("..", "penstock");

    @TempDir Path folder;
    private Path tree = Path.of("");
    private Path jdk = Path.of("");

    record Ended(int code, String out, String err) {}

    /**
     * A tree with the launcher, a Maven wrapper that counts its runs, and a java that says what it
     * got.
     */
    @BeforeEach
    void makeTree() throws IOException {
        folder = folder.toRealPath();
        // A space, as in many a home.
        tree = Files.createDirectories(folder.resolve("a tree"));
        Files.copy(LAUNCHER, tree.resolve("penstock"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(tree.resolve("pom.xml"), "<project/>");
        Files.createDirectories(tree.resolve(".mvn"));
        Files.createDirectories(tree.resolve("cli/src/main"));
        Files.writeString(tree.resolve("cli/pom.xml"), "<project/>");
        script(
                tree.resolve("mvnw"),
                "echo built >> builds; echo 'output of the build'; [ ! -e fail ] || exit 1",
                "[ ! -e slow ] || sleep 1",
                "mkdir -p cli/target/dist/lib; echo > cli/target/dist/lib/penstock-cli-1.jar",
                "echo > cli/target/dist/lib/other.jar");
        jdk = jdk("jdk", "25.0.3");
    }

    private Path jdk(String name, String version) throws IOException {
        Path home = folder.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        script(
                home.resolve("bin/java"),
                "case \" $* \" in",
                "*' train '*) for each; do case $each in",
                "  -XX:AOTCacheOutput=*) echo > \"${each#*=}\" ;;",
                "  */serve.aot) echo > \"$each\" ;;",
                "  esac; done; exit 0 ;;",
                "esac",
                "for each; do echo \"$each\"; done");
        script(home.resolve("bin/javac"), "exit 0");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    private static void script(Path file, String... lines) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(tree.resolve("penstock").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("PENSTOCK_CACHE", "never");
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        return process;
    }

    private static Ended end(Process process) throws IOException, InterruptedException {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), out, err);
    }

    private Ended run(String... arguments) throws IOException, InterruptedException {
        return end(start(Map.of(), arguments));
    }

    private long builds() throws IOException {
        Path file = tree.resolve("builds");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    @Test
    void run_freshTree_buildsOnceAndPassesArguments() throws Exception {
        Ended first = run("stop", "--reason", "two words");
        Ended second = run("status");

        assertThat(first.code()).isZero();
        assertThat(first.out().lines())
                .contains("io.penstock.cli.Main", "stop", "--reason", "two words")
                .contains(
                        tree
                                + "/cli/target/dist/lib/other.jar:"
                                + tree
                                + "/cli/target/dist/lib/penstock-cli-1.jar");
        assertThat(first.out()).doesNotContain("output of the build");
        assertThat(first.err()).contains("output of the build");
        assertThat(second.err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void run_changedSource_buildsAgain() throws Exception {
        run("status");
        Path source = Files.writeString(tree.resolve("cli/src/main/A.java"), "class A {}");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(2)));

        run("status");

        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void run_failedBuild_isDoneAgain() throws Exception {
        Files.createFile(tree.resolve("fail"));
        Ended failed = run("status");
        Files.delete(tree.resolve("fail"));
        Ended good = run("status");

        assertThat(failed.code()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("the build failed");
        assertThat(good.code()).isZero();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void run_treeOfSomebodyElse_saysWhoCanBuildIt() throws Exception {
        Files.createDirectories(tree.resolve("cli/target"));
        // Not even root can write into a file that is a folder.
        Files.createDirectory(tree.resolve("cli/target/build.lock"));

        Ended ended = run("status");

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .contains("must be built, and ", " may not write there", "PENSTOCK_BUILD=never")
                .doesNotContain("line ");
        assertThat(builds()).isZero();
    }

    @Test
    void run_killedBuild_isDoneAgain() throws Exception {
        Files.createFile(tree.resolve("slow"));
        Process first = start(Map.of(), "status");
        while (builds() == 0 && first.isAlive()) {
            Thread.sleep(10);
        }
        first.destroyForcibly().waitFor();
        Ended second = run("status");

        assertThat(second.code()).isZero();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void run_twoAtOnce_buildOnce() throws Exception {
        Files.createFile(tree.resolve("slow"));
        Process one = start(Map.of(), "status");
        while (builds() == 0 && one.isAlive()) {
            Thread.sleep(10);
        }
        Process other = start(Map.of(), "status");

        Ended second = end(other);
        Ended first = end(one);

        assertThat(List.of(first.code(), second.code())).containsOnly(0);
        assertThat(second.err()).contains("another penstock is building");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void run_withoutFlock_aDeadOwnersLockIsTakenOver() throws Exception {
        Path programs = Files.createDirectories(folder.resolve("programs"));
        for (String name :
                List.of(
                        "dirname",
                        "readlink",
                        "find",
                        "head",
                        "mkdir",
                        "rm",
                        "mv",
                        "cat",
                        "sleep")) {
            Path target = Path.of("/usr/bin", name);
            script(
                    programs.resolve(name),
                    "exec " + (Files.exists(target) ? target : "/bin/" + name) + " \"$@\"");
        }
        Path lock = Files.createDirectories(tree.resolve("cli/target/build.lock.d"));
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.writeString(lock.resolve("pid"), gone.pid() + "\n");

        Ended ended = end(start(Map.of("PATH", programs.toString()), "status"));

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(builds()).isEqualTo(1);
        assertThat(lock).doesNotExist();
    }

    @Test
    void run_buildNever_runsWhatIsThere() throws Exception {
        Ended nothing = end(start(Map.of("PENSTOCK_BUILD", "never"), "status"));
        run("status");
        Files.delete(tree.resolve("cli/target/dist/built"));
        Ended there = end(start(Map.of("PENSTOCK_BUILD", "never"), "status"));

        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err()).contains("no jars");
        assertThat(there.code()).isZero();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void run_firstBuild_makesACacheForTheseJarsOnly() throws Exception {
        Map<String, String> cached = Map.of("PENSTOCK_CACHE", "");
        Path cache = tree.resolve("cli/target/dist/cache");
        Path jar = tree.resolve("cli/target/dist/lib/other.jar");

        Ended first = end(start(cached, "status"));
        Ended serve = end(start(cached, "serve"));
        FileTime before = Files.getLastModifiedTime(jar);
        Files.writeString(jar, "?");
        Files.setLastModifiedTime(jar, before);
        Ended changed = end(start(cached, "serve"));
        Ended prepared = end(start(cached, "prepare"));
        Ended again = end(start(cached, "serve"));

        assertThat(first.out()).contains("-XX:AOTCache=" + cache.resolve("command.aot"));
        assertThat(serve.out()).contains("-XX:AOTCache=" + cache.resolve("serve.aot"));
        assertThat(changed.out()).as("same size and time, other content").doesNotContain("AOT");
        assertThat(prepared.code()).isZero();
        assertThat(again.out()).contains("-XX:AOTCache=");
    }

    @Test
    void run_newCacheWithASpaceInItsPath_isOneOption() throws Exception {
        Ended child = end(start(Map.of("PENSTOCK_NEW_CACHE", "/new user/serve.aot"), "serve"));

        assertThat(child.out().lines()).contains("-XX:AOTCacheOutput=/new user/serve.aot");
    }

    @Test
    void run_distribution_runsPackagedJars() throws Exception {
        Files.delete(tree.resolve("pom.xml"));
        Files.createDirectories(tree.resolve("lib"));
        Files.createFile(tree.resolve("lib/penstock-cli-1.jar"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), tree.resolve("penstock"));

        ProcessBuilder builder = new ProcessBuilder(link.toString(), "serve");
        builder.environment().put("JAVA_HOME", jdk.toString());
        Ended ended = end(builder.start());

        assertThat(ended.out().lines())
                .contains("serve", "-XX:+UseParallelGC", tree + "/lib/penstock-cli-1.jar");
        assertThat(builds()).isZero();
    }

    @Test
    void run_oldJavaHome_isPassedOver() throws Exception {
        Path old = jdk("old", "17.0.1");
        Path path = Files.createDirectories(folder.resolve("bin"));
        Files.createSymbolicLink(path.resolve("java"), jdk.resolve("bin/java"));

        Ended ended =
                end(
                        start(
                                Map.of(
                                        "JAVA_HOME",
                                        old.toString(),
                                        "PATH",
                                        path + ":/usr/bin:/bin"),
                                "status"));

        assertThat(ended.code()).isZero();
    }

    @Test
    void test_fullFlag_runsTheWholeBuild() throws Exception {
        script(tree.resolve("mvnw"), "echo \"$@\"; echo never=$PENSTOCK_BUILD");

        assertThat(run("test", "--full").out())
                .contains("verify -Dpenstock.full=true", "never=never");
        assertThat(run("test").out()).contains("verify").doesNotContain("full");
        assertThat(run("test", "--help").out()).contains("Usage: penstock test");
        assertThat(run("test", "--fast").code()).isEqualTo(2);
    }
}

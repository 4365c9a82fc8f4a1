package io.penstock.cli.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RunningUpTest {
    @TempDir Path folder;

    private static RunningUp of(long pid, Instant started) {
        return new RunningUp(
                pid, started, "jdbc:postgresql://x/y", "op", "pw-1", "http://x", "demo", "pk_1");
    }

    private static RunningUp ours() {
        ProcessHandle self = ProcessHandle.current();
        return of(self.pid(), self.info().startInstant().orElseThrow());
    }

    @Test
    void find_oneThatRuns_isFoundAndPrivate() throws IOException {
        Path file = ours().write(folder.resolve("run"));

        assertThat(RunningUp.find(folder.resolve("run"))).contains(ours());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(ours().toString()).doesNotContain("pw-1", "pk_1");
    }

    @Test
    void find_processIdOfAnother_isNotUsed() {
        of(ProcessHandle.current().pid(), Instant.EPOCH).write(folder);

        assertThat(RunningUp.find(folder)).isEmpty();
    }

    @Test
    void find_deadOrBrokenFile_isNotUsed() throws IOException {
        of(Long.MAX_VALUE, Instant.EPOCH).write(folder);
        Files.writeString(folder.resolve("up-1.json"), "{");

        assertThat(RunningUp.find(folder)).isEmpty();
    }

    @Test
    void find_two_asksWhich() throws IOException {
        Path file = ours().write(folder);
        Files.copy(file, folder.resolve("up-1.json"));

        assertThatThrownBy(() -> RunningUp.find(folder))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("more than one");
    }
}

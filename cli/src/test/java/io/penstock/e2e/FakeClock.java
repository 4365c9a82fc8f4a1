package io.penstock.e2e;

import io.penstock.cluster.testing.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The wall clock of other processes, by Debian's libfaketime: as far from the machine's as the test
 * says, and it can be stepped while they run. Their monotonic clocks are left alone, as a step of a
 * real clock leaves them.
 */
final class FakeClock {
    private final Path file;
    private final Path library;

    private FakeClock(Path file, Path library) {
        this.file = file;
        this.library = library;
    }

    static FakeClock in(Path folder) {
        FakeClock clock =
                new FakeClock(
                        folder.resolve("clock"),
                        library().orElseThrow(() -> new AssertionError("no libfaketime")));
        clock.offset(0);
        return clock;
    }

    static boolean available() {
        boolean there = library().isPresent();
        return there || Programs.installed("libfaketime", Path.of("/usr/lib/faketime"));
    }

    private static Optional<Path> library() {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> machines = Files.newDirectoryStream(Path.of("/usr/lib"))) {
            for (Path machine : machines) {
                Path library = machine.resolve("faketime/libfaketimeMT.so.1");
                if (Files.exists(library)) found.add(library);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found.stream().findFirst();
    }

    /** Sets how many seconds it is ahead, below 0: behind. */
    void offset(int seconds) {
        try {
            Path next = file.resolveSibling("clock.next");
            Files.writeString(next, "%+d%n".formatted(seconds));
            Files.setPosixFilePermissions(next, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What a process needs in its environment that asks for the time often: it looks at the offset
     * once a second.
     */
    Map<String, String> environment() {
        return environment("FAKETIME_CACHE_DURATION");
    }

    private Map<String, String> environment(String when) {
        return Map.of(
                "LD_PRELOAD",
                library.toString(),
                "FAKETIME_TIMESTAMP_FILE",
                file.toString(),
                when,
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1");
    }

    /**
     * A folder with a server's programs in which the server itself runs by this clock; its many
     * processes see a step at once.
     */
    Path programs(Path original) {
        try {
            Path folder = Files.createDirectories(file.resolveSibling("programs"));
            try (DirectoryStream<Path> programs = Files.newDirectoryStream(original)) {
                for (Path program : programs) {
                    Path name = folder.resolve(program.getFileName());
                    if (!program.endsWith("postgres")) Files.createSymbolicLink(name, program);
                }
            }
            var script = new StringBuilder("#!/bin/sh\n");
            environment("FAKETIME_NO_CACHE")
                    .forEach(
                            (name, value) ->
                                    script.append("export %s='%s'%n".formatted(name, value)));
            script.append("exec ").append(original.resolve("postgres")).append(" \"$@\"\n");
            Path server = Files.writeString(folder.resolve("postgres"), script);
            Files.setPosixFilePermissions(server, PosixFilePermissions.fromString("rwxr-xr-x"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

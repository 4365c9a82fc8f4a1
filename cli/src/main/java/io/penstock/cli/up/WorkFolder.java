package io.penstock.cli.up;

import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where one {@code up} keeps what its processes need: configuration, passwords, logs. */
final class WorkFolder implements AutoCloseable {
    private final Path path;

    private WorkFolder(Path path) {
        this.path = path;
    }

    /** Makes it, readable by its user only, and removes those whose process was killed. */
    static WorkFolder create(Path parent, long pid) {
        try {
            Files.createDirectories(parent);
            removeOrphans(parent);
            Path path = parent.resolve("up-" + pid);
            delete(path);
            Files.createDirectory(path);
            if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
            }
            return new WorkFolder(path);
        } catch (IOException e) {
            String why =
                    e instanceof AccessDeniedException
                            ? "you may not write there; PENSTOCK_RUNTIME_DIR can name another"
                            : e.toString();
            throw new CommandFailure(1, "cannot make a folder in " + parent + ": " + why, e);
        }
    }

    private static void removeOrphans(Path parent) throws IOException {
        try (Stream<Path> entries = Files.list(parent)) {
            for (Path entry : entries.toList()) {
                String name = entry.getFileName().toString();
                if (name.matches("up-[0-9]{1,18}(\\.json)?")) {
                    long pid = Long.parseLong(name.replaceAll("[^0-9]", ""));
                    if (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty()) {
                        delete(entry);
                    }
                }
            }
        }
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    Path write(String name, String text) {
        try {
            return Files.writeString(path.resolve(name), text);
        } catch (IOException e) {
            throw new CommandFailure(1, "cannot write " + path.resolve(name) + ": " + e, e);
        }
    }

    @Override
    public void close() {
        try {
            delete(path);
        } catch (IOException e) {
            // The next start removes it.
        }
    }

    private static void delete(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> walk = Files.walk(path)) {
            List<Path> deepestFirst = walk.sorted(Comparator.reverseOrder()).toList();
            for (Path entry : deepestFirst) {
                Files.deleteIfExists(entry);
            }
        }
    }
}

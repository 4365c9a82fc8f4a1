package io.penstock.cli.up;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a running {@code penstock up} leaves for other terminals: a file that only its user can
 * read, with the operator's login and the demo agent's key.
 *
 * <p>A file whose process is gone is never used: its process id must be alive and have started when
 * the file says.
 *
 * @param pid of the process {@code up}
 * @param started when that process began, because process ids come again
 */
public record RunningUp(
        long pid,
        Instant started,
        String databaseUrl,
        String user,
        String password,
        String url,
        String server,
        String key) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Never shows password and key. */
    @Override
    public String toString() {
        return "RunningUp[" + pid + " " + url + "]";
    }

    /**
     * The folder of these files: {@code PENSTOCK_RUNTIME_DIR}, or a place that belongs to the user.
     */
    public static Path folder(Map<String, String> environment) {
        String own = environment.get("PENSTOCK_RUNTIME_DIR");
        if (own != null && !own.isEmpty()) {
            return Path.of(own);
        }
        String runtime = environment.get("XDG_RUNTIME_DIR");
        if (runtime != null && !runtime.isEmpty() && Files.isWritable(Path.of(runtime))) {
            return Path.of(runtime, "penstock");
        }
        String cache = environment.get("XDG_CACHE_HOME");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return (cache == null || cache.isEmpty() ? Path.of(home, ".cache") : Path.of(cache))
                .resolve("penstock");
    }

    /** Writes the file; whole or not at all. */
    public Path write(Path folder) {
        try {
            createPrivate(folder);
            Path file = folder.resolve("up-" + pid + ".json");
            Path draft = folder.resolve("up-" + pid + ".json.new");
            Files.deleteIfExists(draft);
            Files.createFile(draft, mode(folder, "rw-------"));
            Files.write(draft, JSON.writeValueAsBytes(tree()));
            return Files.move(draft, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new CommandFailure(1, "cannot write into " + folder + ": " + e.getMessage(), e);
        }
    }

    private ObjectNode tree() {
        ObjectNode tree = JSON.createObjectNode();
        tree.put("pid", pid).put("started", started.toString());
        tree.put("databaseUrl", databaseUrl).put("user", user).put("password", password);
        return tree.put("url", url).put("server", server).put("key", key);
    }

    /** The one that runs, or nothing; several are a failure, since which is meant is not known. */
    public static Optional<RunningUp> find(Path folder) {
        List<RunningUp> alive = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.getFileName().toString().matches("up-[0-9]+\\.json"))
                        .forEach(file -> alive.addAll(read(file)));
            } catch (IOException e) {
                throw new CommandFailure(1, "cannot read " + folder + ": " + e.getMessage(), e);
            }
        }
        if (alive.size() > 1) {
            throw CommandFailure.usage(
                    "more than one penstock up is running: "
                            + alive
                            + ": say which cluster with --database or --config");
        }
        return alive.stream().findFirst();
    }

    private static List<RunningUp> read(Path file) {
        try {
            JsonNode tree = JSON.readTree(file.toFile());
            RunningUp up =
                    new RunningUp(
                            tree.path("pid").asLong(),
                            Instant.parse(tree.path("started").asText()),
                            tree.path("databaseUrl").asText(),
                            tree.path("user").asText(),
                            tree.path("password").asText(),
                            tree.path("url").asText(),
                            tree.path("server").asText(),
                            tree.path("key").asText());
            if (up.alive()) {
                return List.of(up);
            }
            Files.deleteIfExists(file);
        } catch (IOException | java.time.format.DateTimeParseException e) {
            // Half-written by a process that was killed, or of another version: not a running one.
            return List.of();
        }
        return List.of();
    }

    private boolean alive() {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().startInstant())
                .filter(start -> Math.abs(start.toEpochMilli() - started.toEpochMilli()) < 2_000)
                .isPresent();
    }

    private static void createPrivate(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(folder, mode(parent, "rwx------"));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    private static FileAttribute<?>[] mode(@Nullable Path near, String permissions) {
        boolean posix =
                near != null
                        && near.getFileSystem().supportedFileAttributeViews().contains("posix");
        Set<PosixFilePermission> set = PosixFilePermissions.fromString(permissions);
        return posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(set)}
                : new FileAttribute<?>[0];
    }
}

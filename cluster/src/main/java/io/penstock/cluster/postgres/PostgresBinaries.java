package io.penstock.cluster.postgres;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The Postgres programs that come on the class path, unpacked once for each version.
 *
 * <p>The folder's name carries the checksum of the archive, and it gets that name by a rename when
 * it is complete: a folder that has the name can be trusted. A lock file keeps processes that start
 * together from unpacking it several times.
 */
final class PostgresBinaries {
    /** For containers whose user has no home; and for tests. */
    private static final String CACHE_VARIABLE = "PENSTOCK_CACHE";

    /** What the launcher takes for no start-up cache; no folder's name. */
    private static final String NO_CACHE = "never";

    private PostgresBinaries() {}

    /** The folder with {@code bin/postgres} in it. */
    static synchronized Path unpacked() {
        String resource = "postgres-" + platform() + ".txz";
        URL archive = PostgresBinaries.class.getClassLoader().getResource(resource);
        if (archive == null) {
            throw new PostgresException(
                    "no embedded Postgres for this machine ("
                            + resource
                            + " is not on the class path): name a database of your own, version 15"
                            + " or newer");
        }
        try {
            Path cache = cache();
            Path home = cache.resolve("postgres-" + platform() + "-" + checksum(archive));
            if (!Files.isDirectory(home)) {
                unpackUnderLock(archive, cache, home);
            }
            return home;
        } catch (IOException e) {
            throw new PostgresException("cannot unpack the embedded Postgres: " + e, e);
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        boolean arm = arch.equals("aarch64") || arch.equals("arm64");
        String system = os.startsWith("mac") ? "darwin" : os.startsWith("linux") ? "linux" : os;
        return system.replace(' ', '-') + "-" + (arm ? "arm_64" : "x86_64");
    }

    private static Path cache() throws IOException {
        String chosen = System.getenv(CACHE_VARIABLE);
        if (chosen != null && !chosen.isBlank() && !chosen.equals(NO_CACHE)) {
            return Files.createDirectories(Path.of(chosen));
        }
        if (Users.root()) {
            // The server runs as another user, who must be able to read its own programs.
            Path open = writable(Path.of("/var/cache/penstock"));
            if (open != null) {
                Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
                return open;
            }
        }
        String xdg = System.getenv("XDG_CACHE_HOME");
        Path base =
                xdg != null && !xdg.isBlank()
                        ? Path.of(xdg)
                        : Path.of(System.getProperty("user.home", "/"), ".cache");
        Path own = writable(base.resolve("penstock"));
        return own != null ? own : temporary();
    }

    private static @Nullable Path writable(Path folder) {
        try {
            Files.createDirectories(folder);
            return Files.isWritable(folder) ? folder : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** In the shared temporary folder, and so only if nobody else can have prepared it. */
    private static Path temporary() throws IOException {
        String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9]", "_");
        Path folder =
                Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "penstock-cache-" + user);
        try {
            Files.createDirectory(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        } catch (FileAlreadyExistsException e) {
            Path probe = Files.createTempFile("penstock", "probe");
            boolean ours =
                    Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(probe));
            Files.delete(probe);
            if (!ours || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(folder + " belongs to somebody else", e);
            }
        }
        return folder;
    }

    private static String checksum(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return HexFormat.of().toHexDigits((int) jar.getJarEntry().getCrc());
        }
        return Long.toHexString(connection.getContentLengthLong());
    }

    private static void unpackUnderLock(URL archive, Path cache, Path home) throws IOException {
        Path lockFile = cache.resolve(home.getFileName() + ".lock");
        try (FileChannel channel =
                        FileChannel.open(
                                lockFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            if (Files.isDirectory(home)) {
                return;
            }
            Path half = cache.resolve(home.getFileName() + ".half");
            delete(half);
            unpack(archive, half);
            Files.move(half, home, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static void unpack(URL archive, Path target) throws IOException {
        Files.createDirectories(target);
        try (InputStream in = archive.openStream();
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(
                                new XZInputStream(new BufferedInputStream(in, 1 << 16)))) {
            TarArchiveEntry entry;
            while ((entry = tar.getNextEntry()) != null) {
                unpack(tar, entry, target);
            }
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
            throws IOException {
        Path file = target.resolve(entry.getName()).normalize();
        if (!file.startsWith(target)) {
            throw new IOException("archive entry outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
            Files.createDirectories(file);
            return;
        }
        Files.createDirectories(file.resolveSibling("."));
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
            return;
        }
        if (entry.isLink()) {
            Files.createLink(file, target.resolve(entry.getLinkName()).normalize());
            return;
        }
        Files.copy(tar, file);
        boolean program = (entry.getMode() & 0100) != 0;
        Files.setPosixFilePermissions(
                file, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
    }

    /** Deletes a folder with all that is in it; follows no link. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> inside = Files.walk(folder)) {
            for (Path path : inside.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}

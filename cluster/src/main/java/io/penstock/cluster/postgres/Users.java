package io.penstock.cluster.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who the server runs as: Postgres refuses to run as root, and containers often have nobody else.
 *
 * <p>A user namespace is tried first: it needs no rights over files, as the process stays the owner
 * of what it made. Where the kernel or the container forbids it, the server becomes {@code nobody},
 * and its folder with it.
 *
 * @param prefix words to put before a command
 * @param owner whom the server's folder has to belong to; null if it stays as it is
 * @param ownSession whether the prefix puts the command into a session of its own already
 */
record Users(List<String> prefix, @Nullable String owner, boolean ownSession) {
    private static final String NOBODY = "nobody";

    static boolean root() {
        return "root".equals(System.getProperty("user.name"));
    }

    static Users choose() {
        if (!root()) {
            return new Users(List.of(), null, false);
        }
        for (Users way : ways()) {
            if (works(way.prefix())) {
                return way;
            }
        }
        throw new PostgresException(
                "Postgres does not run as root, and neither unshare, setpriv nor su gives another"
                        + " user here: run as a normal user");
    }

    private static List<Users> ways() {
        List<String> setpriv =
                List.of(
                        "setpriv",
                        "--reuid=" + NOBODY,
                        "--regid=65534",
                        "--clear-groups",
                        "--inh-caps=-all");
        List<String> su = List.of("su", "-s", "/bin/sh", NOBODY, "-c", "exec \"$0\" \"$@\"", "--");
        return List.of(
                new Users(List.of("unshare", "-U"), "root", false),
                new Users(setpriv, NOBODY, false),
                new Users(su, NOBODY, true));
    }

    private static boolean works(List<String> prefix) {
        List<String> command = Stream.concat(prefix.stream(), Stream.of("id", "-u")).toList();
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes()).trim();
            return process.waitFor(5, TimeUnit.SECONDS)
                    && process.exitValue() == 0
                    && !output.equals("0");
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Hands a folder and all that is in it to the server's user. */
    void own(Path folder) throws IOException {
        if (owner == null) {
            return;
        }
        UserPrincipal principal =
                folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(owner);
        try (Stream<Path> inside = Files.walk(folder)) {
            for (Path path : inside.toList()) {
                if (!Files.getOwner(path).equals(principal)) {
                    Files.setOwner(path, principal);
                }
            }
        }
    }
}

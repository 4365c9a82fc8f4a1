package io.penstock.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The JVM flags that the launcher gives a replica, read from the launcher, so that what is tested
 * is what runs.
 */
final class Flags {
    private static final Pattern SERVE = Pattern.compile("serve\\) flags='([^']*)'");
    private static final Pattern COMMAND = Pattern.compile("\\*\\) flags='([^']*)'");

    private Flags() {}

    static List<String> of(Path launcherFile, String command) {
        try {
            String launcher = Files.readString(launcherFile);
            Matcher flags = (command.equals("serve") ? SERVE : COMMAND).matcher(launcher);
            if (!flags.find())
                throw new IllegalStateException("no flags of " + command + " in " + launcherFile);
            return List.of(flags.group(1).split(" "));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

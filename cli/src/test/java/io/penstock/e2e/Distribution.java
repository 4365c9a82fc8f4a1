package io.penstock.e2e;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A built checkout, whose jars and launcher's flags a process is started with.
 *
 * @param root the checkout's folder
 */
record Distribution(Path root) {
    /** What is tested. */
    static final Distribution PRESENT = new Distribution(Path.of("..").toAbsolutePath());

    /** The one that {@code penstock.old} names, or the present one. */
    static Distribution old() {
        String folder = System.getProperty("penstock.old", "");
        if (folder.isEmpty()) return PRESENT;
        Distribution old = new Distribution(Path.of(folder).toAbsolutePath());
        if (!Files.isDirectory(old.jars())) {
            throw new IllegalStateException("penstock.old is not built: there is no " + old.jars());
        }
        return old;
    }

    private Path jars() {
        return root.resolve(Path.of("cli", "target", "dist", "lib"));
    }

    /** A command line of {@code penstock} with the launcher's own flags, without its search. */
    List<String> command(List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Flags.of(root.resolve("penstock"), arguments.getFirst()));
        command.addAll(List.of("-cp", jars() + "/*", "io.penstock.cli.Main"));
        command.addAll(arguments);
        return command;
    }
}

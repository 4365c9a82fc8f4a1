package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Says why a command does not go through a replica, to who tries it as with the commands that do.
 */
final class NoAdminOptions {
    @Option(names = "--admin", hidden = true)
    @Nullable String admin;

    @Option(names = "--token-file", hidden = true)
    @Nullable String tokenFile;

    /**
     * @param what the command does
     */
    void check(String what) {
        if (admin != null || tokenFile != null) {
            throw CommandFailure.usage(
                    what
                            + " needs the operator's credential for the database, which no replica"
                            + " has: give --database URL or --config FILE instead of --admin");
        }
    }
}

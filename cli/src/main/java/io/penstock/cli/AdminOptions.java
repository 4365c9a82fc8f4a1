package io.penstock.cli;

import io.penstock.cli.terminal.CommandFailure;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The way through one replica instead of the database. */
final class AdminOptions {
    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "Through this replica's admin API instead of the database.")
    @Nullable URI admin;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "Its token, in the first line; role view, to block operate, to stop stop.")
    @Nullable Path tokenFile;

    /** A client of the replica that the options name; none where the database is meant. */
    Optional<AdminClient> client() {
        URI replica = admin;
        if (replica == null) {
            if (tokenFile != null) {
                throw CommandFailure.usage("--token-file goes with --admin URL");
            }
            return Optional.empty();
        }
        return Optional.of(AdminClient.of(replica, tokenFile));
    }
}

package io.penstock.cli.up;

import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.operator.Revisions;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.RulesConfig;
import java.nio.file.Path;

/**
 * Brings a kept database and the file that it is started with together: replicas refuse a file
 * whose rules the cluster never had, and before they run no other terminal could apply them.
 *
 * <p><b>Guarantee.</b> A file that equals an earlier revision changes nothing, so what was applied
 * after it goes on to hold.
 */
final class KeptRules {
    private static final Revisions.Order ORDER =
            new Revisions.Order("the file that it was started with", "penstock up");

    private KeptRules() {}

    /** Makes the file's rules the next revision where the database never had them, and says so. */
    static void settle(Path file, DatabaseConfig owner, Terminal terminal) {
        if (!(ConfigFile.readRules(file, System::getenv)
                instanceof Reading.Valid<RulesConfig> read)) {
            return; // Each replica names its file's problems.
        }
        new Revisions(new Connector(owner), System::nanoTime)
                .keep(read.value()::after, ORDER)
                .ifPresent(kept -> tell(kept, terminal));
    }

    private static void tell(Revisions.Kept kept, Terminal terminal) {
        terminal.note(
                "the kept database had other rules; revision %d has the file's:"
                        .formatted(kept.revision()));
        kept.differences().forEach(line -> terminal.note("  " + line));
    }
}

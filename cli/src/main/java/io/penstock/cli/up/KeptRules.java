package io.penstock.cli.up;

import io.penstock.cli.terminal.CommandFailure;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.store.RevisionStore;
import io.penstock.gateway.config.ConfigFile;
import io.penstock.gateway.config.Reading;
import io.penstock.gateway.config.RulesConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Brings a kept database and the file that it is started with together: replicas refuse a file
 * whose rules the cluster never had, and before they run no other terminal could apply them.
 *
 * <p><b>Guarantee.</b> A file that equals an earlier revision changes nothing, so what was applied
 * after it goes on to hold.
 */
final class KeptRules {
    private static final String ACTOR = "penstock up";

    private KeptRules() {}

    /** Makes the file's rules the next revision where the database has others, and says so. */
    static void settle(Path file, DatabaseConfig owner, Terminal terminal) throws SQLException {
        if (!(ConfigFile.readRules(file, System::getenv)
                instanceof Reading.Valid<RulesConfig> read)) {
            return; // Each replica names its file's problems.
        }
        try (Connection connection = new Connector(owner).open(Purpose.OPERATOR)) {
            Optional<RevisionStore.Revision> current = RevisionStore.current(connection);
            if (current.isEmpty()) {
                return;
            }
            Rules rules = read.value().after(current.get().rules());
            if (RevisionStore.adopt(connection, rules, ACTOR)
                    instanceof RevisionStore.Adoption.Foreign foreign) {
                long number = current.get().number();
                String reason = "the file that it was started with";
                if (!(RevisionStore.apply(connection, number, rules, reason, ACTOR)
                        instanceof RevisionStore.Applied.Made made)) {
                    throw CommandFailure.failed(
                            "the kept database is in use by another: try again");
                }
                terminal.note(
                        "the kept database had other rules; revision %d has the file's:"
                                .formatted(made.revision()));
                foreign.differences().forEach(line -> terminal.note("  " + line));
            }
        }
    }
}

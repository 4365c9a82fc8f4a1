package io.penstock.cli;

import io.penstock.cli.terminal.ExitCode;
import io.penstock.cli.terminal.Terminal;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.schema.SchemaState;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "migrate",
        description = {
            "Creates or upgrades the schema, its roles and grants. Needs the credential of the",
            "schema's owner. Safe when several start together."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  PGPASSWORD=... penstock migrate --database jdbc:postgresql://db/penstock --user"
                    + " owner",
            "%nExit code 0: the schema is what this version needs. 1: it is not."
        })
final class MigrateCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final Map<String, String> environment;

    @Mixin ConnectionOptions connection = new ConnectionOptions();

    MigrateCommand(Terminal terminal, Map<String, String> environment) {
        this.terminal = terminal;
        this.environment = environment;
    }

    @Override
    public Integer call() throws Exception {
        DatabaseConfig owner = Operator.database(connection, environment);
        SchemaState before = Migrations.state(owner);
        SchemaState after = Migrations.migrate(owner);
        terminal.line(text(before, after) + " (" + owner.address() + ")");
        return after.usable() ? ExitCode.DONE : ExitCode.FAILED;
    }

    private static String text(SchemaState before, SchemaState after) {
        return switch (after) {
            case SchemaState.Current current ->
                    before instanceof SchemaState.Current
                            ? "the schema is at version " + current.version() + " already"
                            : "migrated the schema to version " + current.version();
            case SchemaState.Newer newer ->
                    "the schema is at version %d, newer than this program's %d: %s"
                            .formatted(
                                    newer.found(),
                                    newer.expected(),
                                    newer.compatible()
                                            ? "they go together"
                                            : "use a newer program");
            case SchemaState.Older older ->
                    "the schema is still at version " + older.found() + ", not " + older.expected();
            case SchemaState.Absent _ -> "there is still no schema";
        };
    }
}

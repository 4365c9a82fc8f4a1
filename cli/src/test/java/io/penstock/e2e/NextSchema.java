package io.penstock.e2e;

import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.schema.Migrations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flywaydb.core.Flyway;

/** Migrations of versions that are not written yet: each adds a table, as one of ours would. */
final class NextSchema {
    private final Path folder;

    NextSchema(Path folder) {
        this.folder = folder;
    }

    /** Brings a database to so many versions ahead of the present program, one migration each. */
    void migrate(DatabaseConfig owner, int ahead) {
        try {
            Files.createDirectories(folder);
            for (int i = 1; i <= ahead; i++) {
                int version = Migrations.LATEST + i;
                Files.writeString(
                        folder.resolve("V" + version + "__test.sql"),
                        "create table penstock.of_version_"
                                + version
                                + " (id bigint primary key);");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Flyway.configure()
                .dataSource(owner.url(), owner.user(), owner.password())
                .schemas("penstock")
                .table("schema_history")
                .locations("classpath:io/penstock/cluster/schema", "filesystem:" + folder)
                .load()
                .migrate();
    }
}

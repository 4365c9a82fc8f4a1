package io.penstock.cluster;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.PostgresException;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.schema.SchemaState;
import io.penstock.cluster.store.RevisionStore;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A replica's first contact with the cluster's database: is it there, is its schema ours, do its
 * rules agree with the replica's file.
 *
 * <p><b>Threads.</b> One thread. Blocks on the database.
 */
public final class Enrolment {
    private static final System.Logger LOG = System.getLogger(Enrolment.class.getName());

    /** What a replica's own file says of the cluster's rules. */
    @FunctionalInterface
    public interface FileRules {
        /**
         * The file's rules; what it says nothing of is as in {@code current}.
         *
         * @param current the cluster's, or null for a new cluster
         */
        Rules under(@Nullable Rules current);
    }

    /** What came of an attempt. */
    public sealed interface Result {
        /** The replica may take part. */
        record Enrolled() implements Result {}

        /** Not now; {@code reason} says why, and what to do. */
        record Waits(String reason) implements Result {}

        /** The cluster never had the rules of this file; it must not take part. */
        record Foreign(List<String> differences) implements Result {
            public Foreign {
                differences = List.copyOf(differences);
            }
        }
    }

    private final DatabaseConfig database;
    private final FileRules file;
    private final String actor;
    private boolean migrationRefused;

    /**
     * @param actor who makes the first revision of a new cluster
     */
    public Enrolment(DatabaseConfig database, FileRules file, String actor) {
        this.database = database;
        this.file = file;
        this.actor = actor;
    }

    /** Tries once; migrates where the role may. */
    public Result attempt() {
        try (Connection connection = new Connector(database).open(Purpose.POOL)) {
            SchemaState state = Migrations.state(connection);
            if (!state.usable()) {
                state = migrate(state);
            }
            return state.usable() ? settle(connection) : new Result.Waits(words(state));
        } catch (SQLException e) {
            return new Result.Waits("waiting for the database: " + e.getMessage());
        } catch (PostgresException e) {
            return new Result.Waits("the database cannot be used: " + e.getMessage());
        }
    }

    /** Tried once for each start: a role that may not will not be allowed a second later either. */
    private SchemaState migrate(SchemaState found) {
        if (migrationRefused || found instanceof SchemaState.Newer) {
            return found;
        }
        try {
            return Migrations.migrate(database);
        } catch (PostgresException e) {
            migrationRefused = true;
            LOG.log(Level.INFO, "event=migration-left-to-the-owner reason=\"{0}\"", e.getMessage());
            return found;
        }
    }

    private static String words(SchemaState state) {
        return switch (state) {
            case SchemaState.Absent absent ->
                    "the database has no schema yet, this program needs version %d: run `penstock migrate` with the owner's credential"
                            .formatted(absent.expected());
            case SchemaState.Older older ->
                    "the schema is at version %d, this program needs %d: run `penstock migrate` with the owner's credential"
                            .formatted(older.found(), older.expected());
            case SchemaState.Newer newer ->
                    "the schema is at version %d, this program knows %d and is too old for it: start a newer program"
                            .formatted(newer.found(), newer.expected());
            case SchemaState.Current current -> "the schema is at version " + current.version();
        };
    }

    private Result settle(Connection connection) throws SQLException {
        Rules current =
                RevisionStore.current(connection).map(RevisionStore.Revision::rules).orElse(null);
        return switch (RevisionStore.adopt(connection, file.under(current), actor)) {
            case RevisionStore.Adoption.First _ -> {
                LOG.log(Level.INFO, "event=rules-settled revision=1 first=true");
                yield new Result.Enrolled();
            }
            case RevisionStore.Adoption.Same same -> {
                LOG.log(Level.INFO, "event=rules-settled revision={0}", same.current().number());
                yield new Result.Enrolled();
            }
            case RevisionStore.Adoption.Earlier earlier -> {
                LOG.log(
                        Level.WARNING,
                        "event=file-is-older revision={0} current={1} effect=\"the current revision"
                                + " holds\"",
                        earlier.equals(),
                        earlier.current().number());
                yield new Result.Enrolled();
            }
            case RevisionStore.Adoption.Foreign foreign ->
                    new Result.Foreign(foreign.differences());
        };
    }
}

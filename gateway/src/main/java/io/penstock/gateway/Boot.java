package io.penstock.gateway;

import io.penstock.cluster.control.Rules;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.DatabaseConfig;
import io.penstock.cluster.postgres.PostgresException;
import io.penstock.cluster.postgres.Purpose;
import io.penstock.cluster.schema.Migrations;
import io.penstock.cluster.schema.SchemaState;
import io.penstock.cluster.store.RevisionStore;
import io.penstock.gateway.config.RulesConfig;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a database that this program can serve with, and settles which rules hold.
 *
 * <p><b>Guarantee.</b> Nothing is admitted while it waits. A replica whose file differs from the
 * cluster's rules does not start: two replicas never judge by different rules.
 *
 * <p><b>Failure.</b> A database that is away, too old or too new is waited for, with the reason to
 * read; rules that differ throw {@link ReplicaRefusedException}.
 *
 * <p><b>Threads.</b> {@link #await} by one thread; {@link #why} and {@link #abandon} by any.
 */
final class Boot {
    private static final System.Logger LOG = System.getLogger(Boot.class.getName());
    private static final Duration RETRY_MIN = Duration.ofMillis(100);
    private static final Duration RETRY_MAX = Duration.ofSeconds(1);

    private final DatabaseConfig database;
    private final RulesConfig file;
    private final String actor;
    private final CountDownLatch abandoned = new CountDownLatch(1);
    private volatile @Nullable String why = "starting";
    private boolean migrationRefused;

    Boot(DatabaseConfig database, RulesConfig file, String actor) {
        this.database = database;
        this.file = file;
        this.actor = actor;
    }

    /** What it waits for, or null when it is done. */
    @Nullable String why() {
        return why;
    }

    /** Ends the wait from another thread. */
    void abandon() {
        abandoned.countDown();
    }

    /**
     * Waits until the database can be served with.
     *
     * @return false if the wait was abandoned
     */
    boolean await() {
        Duration pause = RETRY_MIN;
        while (true) {
            String reason = attempt();
            if (reason == null) {
                why = null;
                return true;
            }
            if (!reason.equals(why)) {
                LOG.log(Level.WARNING, "event=boot-waits reason=\"{0}\"", reason);
            }
            why = reason;
            try {
                if (abandoned.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                    return false;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            pause =
                    pause.multipliedBy(2).compareTo(RETRY_MAX) > 0
                            ? RETRY_MAX
                            : pause.multipliedBy(2);
        }
    }

    /** What still stands in the way. */
    private @Nullable String attempt() {
        try (Connection connection = new Connector(database).open(Purpose.POOL)) {
            SchemaState state = Migrations.state(connection);
            if (!state.usable()) {
                state = migrate(state);
            }
            if (!state.usable()) {
                return words(state);
            }
            settleRules(connection);
            return null;
        } catch (SQLException e) {
            return "waiting for the database: " + e.getMessage();
        } catch (PostgresException e) {
            return "the database cannot be used: " + e.getMessage();
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

    private void settleRules(Connection connection) throws SQLException {
        Optional<RevisionStore.Revision> current = RevisionStore.current(connection);
        Rules rules = current.isEmpty() ? file.rules(1) : filled(current.get().rules());
        switch (RevisionStore.adopt(connection, rules, actor)) {
            case RevisionStore.Adoption.First _ ->
                    LOG.log(Level.INFO, "event=rules-settled revision=1 first=true");
            case RevisionStore.Adoption.Same same ->
                    LOG.log(
                            Level.INFO,
                            "event=rules-settled revision={0}",
                            same.current().number());
            case RevisionStore.Adoption.Earlier earlier ->
                    LOG.log(
                            Level.WARNING,
                            "event=file-is-older revision={0} current={1} effect=\"the current"
                                    + " revision holds\"",
                            earlier.equals(),
                            earlier.current().number());
            case RevisionStore.Adoption.Foreign foreign ->
                    throw new ReplicaRefusedException(
                            "the cluster never had the rules of this file: "
                                    + String.join("; ", foreign.differences())
                                    + ". Run `penstock apply -f FILE` to make them the cluster's,"
                                    + " or take the difference out of the file");
        }
    }

    /** What the file says nothing of is as the cluster has it. */
    private Rules filled(Rules current) {
        return new Rules(
                current.revision(),
                file.budgetsGiven() ? file.budgets() : current.budgets().all(),
                file.servers(),
                file.leaseGiven() ? file.lease() : current.lease());
    }
}

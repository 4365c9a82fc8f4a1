package io.penstock.cluster.control;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;

/**
 * Reads the control state, and what belongs to it as far as it changed.
 *
 * <p>Keys are read after the state, so they can be newer than its version of them, never older.
 *
 * <p>Numbers of another server tell nothing: a failover can lose an epoch, and the next change
 * there has its number. So what comes from another server than the installed state is read in full,
 * and only for a beat.
 *
 * <p><b>Threads.</b> Safe for concurrent use, each caller with its own connection.
 */
final class StateReader {
    private final Installer installer;
    private final StateLoader loader;
    private final LongSupplier ticker;

    StateReader(Installer installer, StateLoader loader, LongSupplier ticker) {
        this.installer = installer;
        this.loader = loader;
        this.ticker = ticker;
    }

    /**
     * Reads on a connection to the server that the installed state came from.
     *
     * @throws SQLException also where the connection leads to another one
     */
    Installer.Loaded read(Connection connection) throws SQLException {
        Snapshot current = installer.view().current();
        ControlState state = ControlSql.state(connection, current.epoch(), ticker);
        installer.checkSource(state.server());
        return loaded(connection, state, current);
    }

    /** Reads for a beat, which may adopt another server. */
    Installer.Loaded readForBeat(Connection connection) throws SQLException {
        Snapshot current = installer.view().current();
        ControlState state = ControlSql.state(connection, current.epoch(), ticker);
        if (installer.comesFrom(state.server())) {
            return loaded(connection, state, current);
        }
        ControlState full = ControlSql.state(connection, Installer.NOTHING_READ, ticker);
        Rules rules =
                full.revision() == Installer.NO_RULES.revision()
                        ? Installer.NO_RULES
                        : loader.rules(connection, full.revision());
        return new Installer.Loaded(full, rules, loader.keys(connection));
    }

    private Installer.Loaded loaded(Connection connection, ControlState state, Snapshot current)
            throws SQLException {
        if (state.unchanged()) {
            return new Installer.Loaded(state, current.rules(), current.keys());
        }
        return new Installer.Loaded(
                state, rules(connection, state, current), keys(connection, state, current));
    }

    private Rules rules(Connection connection, ControlState state, Snapshot current)
            throws SQLException {
        if (state.revision() == current.rules().revision()) {
            return current.rules();
        }
        return state.revision() == Installer.NO_RULES.revision()
                ? Installer.NO_RULES
                : loader.rules(connection, state.revision());
    }

    private KeyRing keys(Connection connection, ControlState state, Snapshot current)
            throws SQLException {
        return state.keysVersion() == current.content().keysVersion()
                ? current.keys()
                : loader.keys(connection);
    }
}

package io.penstock.cluster.control;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongSupplier;

/**
 * Reads the control state, and what belongs to it as far as it changed.
 *
 * <p>Keys are read after the state, so they can be newer than its version of them, never older.
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

    Installer.Loaded read(Connection connection) throws SQLException {
        Snapshot current = installer.view().current();
        ControlState state = ControlSql.state(connection, current.epoch(), ticker);
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

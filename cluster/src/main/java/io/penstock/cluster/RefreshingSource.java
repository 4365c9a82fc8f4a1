package io.penstock.cluster;

import io.penstock.cluster.admission.ControlSource;
import io.penstock.cluster.control.ControlBus;
import io.penstock.cluster.control.ControlView;
import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads the control state for lanes that were told to plan again, over one kept connection.
 *
 * <p><b>Failure.</b> A state that cannot be read stays as it is; the lane is told the same again and gives up after a
 * few tries, within the deadline of its calls.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@code lock} guards the connection and is held while it is read from:
 * lanes that ask together wait for one answer each.
 */
final class RefreshingSource implements ControlSource, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(RefreshingSource.class.getName());

    private final ControlBus bus;
    private final Connector connector;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Connection connection;
    private boolean closed;

    RefreshingSource(ControlBus bus, Connector connector) {
        this.bus = bus;
        this.connector = connector;
    }

    @Override
    public ControlView view() {
        return bus.view();
    }

    @Override
    public void refresh() {
        lock.lock();
        try {
            if (!closed) {
                bus.refresh(open());
            }
        } catch (SQLException e) {
            LOG.log(Level.WARNING, "event=control-refresh-failed reason=\"{0}\"", e.getMessage());
            drop();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            drop();
        } finally {
            lock.unlock();
        }
    }

    private Connection open() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = connector.open(Purpose.LISTEN);
            connection = open;
        }
        return open;
    }

    private void drop() {
        Connection open = connection;
        connection = null;
        if (open == null) {
            return;
        }
        try {
            open.close();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "event=connection-close-failed reason=\"{0}\"", e.getMessage());
        }
    }
}

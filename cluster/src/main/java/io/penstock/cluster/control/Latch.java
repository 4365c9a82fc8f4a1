package io.penstock.cluster.control;

import static java.lang.System.Logger.Level.ERROR;
import static java.lang.System.Logger.Level.INFO;
import static java.lang.System.Logger.Level.WARNING;

import io.penstock.cluster.postgres.Connector;
import io.penstock.cluster.postgres.Purpose;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Stops that hold here whether the database knows them or not.
 *
 * <p><b>Guarantee.</b> An order stands in every snapshot from {@link #add} on, through restarts if
 * there is a file, until this replica has installed a state of the cluster that was read after the
 * order was found recorded there, active or lifted.
 *
 * <p><b>Failure.</b> A file that cannot be read stops everything here: it may have held a stop. A
 * file that cannot be written leaves the order in force, but only until the process ends.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@code lock} guards the orders and the file; the file
 * is small, and is written under it so that its versions keep their order.
 */
final class Latch {
    /** How many orders can be held: each is an act of an operator. */
    static final int ORDERS_MAX = 1000;

    private static final System.Logger LOG = System.getLogger(Latch.class.getName());
    private static final long RETRY_MILLIS = 250;

    private final @Nullable LatchFile file;
    private final Installer installer;
    private final Connector connector;
    private final Runnable changed;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<StopOrder> orders = new ArrayList<>();
    private final Semaphore wakes = new Semaphore(0);
    private @Nullable Stop unreadable;
    private volatile boolean closing;

    /** {@code changed}: is run after the stops that hold here became others. */
    Latch(@Nullable LatchFile file, Installer installer, Connector connector, Runnable changed) {
        this.file = file;
        this.installer = installer;
        this.connector = connector;
        this.changed = changed;
    }

    /** Takes over what an earlier life left. Called once, before anything is admitted. */
    void load() {
        lock.lock();
        try {
            if (file != null) {
                LatchFile.Content content = file.read();
                orders.addAll(content.orders());
                unreadable = content.unreadable();
            }
            publish();
        } finally {
            lock.unlock();
        }
    }

    /** Lets an order hold here at once. Returns whether it will outlive this process. */
    boolean add(StopOrder order) {
        lock.lock();
        try {
            if (orders.contains(order)) {
                return file != null;
            }
            if (orders.size() >= ORDERS_MAX) {
                throw new IllegalStateException(
                        "latched orders: at most " + ORDERS_MAX + ", none of them recorded yet");
            }
            orders.add(order);
            publish();
            return write();
        } finally {
            lock.unlock();
            wakes.release();
        }
    }

    List<StopOrder> orders() {
        lock.lock();
        try {
            return List.copyOf(orders);
        } finally {
            lock.unlock();
        }
    }

    private void publish() {
        List<Stop> stops = new ArrayList<>();
        if (unreadable != null) {
            stops.add(unreadable);
        }
        for (StopOrder order : orders) {
            for (StopOrder.Target target : order.targets()) {
                stops.add(
                        new Stop(
                                target.id(),
                                target.scope(),
                                order.reason(),
                                order.actor(),
                                installer.epoch(),
                                order.drain(),
                                order.showReason()));
            }
        }
        installer.latch(stops);
        changed.run();
    }

    private boolean write() {
        // A file that cannot be read stays as it is: it goes on stopping everything at each start.
        if (file == null || unreadable != null) {
            return false;
        }
        try {
            file.write(orders);
            return true;
        } catch (IOException e) {
            LOG.log(ERROR, "event=latch-not-kept reason=\"{0}\"", e.getMessage());
            return false;
        }
    }

    /** Tries to record what is latched until it is. The body of a thread of its own. */
    void run() {
        try {
            while (!closing) {
                if (orders().isEmpty()) {
                    wakes.acquire();
                } else if (!record()) {
                    wakes.tryAcquire(RETRY_MILLIS, TimeUnit.MILLISECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void leave() {
        closing = true;
        wakes.release();
    }

    /** Returns whether all that was latched could be dropped. */
    private boolean record() {
        boolean all = true;
        try (Connection connection = connector.open(Purpose.POOL)) {
            for (StopOrder order : orders()) {
                all &= recorded(connection, order);
            }
            return all;
        } catch (SQLException | RuntimeException e) {
            LOG.log(WARNING, "event=latch-not-recorded reason=\"{0}\"", e.getMessage());
            return false;
        }
    }

    private boolean recorded(Connection connection, StopOrder order) throws SQLException {
        Orders.Stopped stopped = Orders.stop(connection, order);
        Orders.tell(connection, stopped.controlEpoch());
        if (!installer.comesFrom(ControlSql.server(connection))
                || installer.epoch() < stopped.controlEpoch()) {
            changed.run();
            return false;
        }
        lock.lock();
        try {
            orders.remove(order);
            publish();
            write();
        } finally {
            lock.unlock();
        }
        LOG.log(
                INFO,
                "event=latch-dropped epoch={0} lifted={1}",
                stopped.epoch(),
                stopped.lifted());
        return true;
    }
}

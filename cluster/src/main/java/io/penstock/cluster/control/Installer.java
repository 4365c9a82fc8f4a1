package io.penstock.cluster.control;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Publishes newer control states into the view, and the lease with them.
 *
 * <p><b>Guarantee.</b> The published epoch never falls. A state that comes without a beat inherits
 * the lease of the one before it, never more. Stops that are latched here stand in every snapshot.
 * States of different servers never mix: only {@link #adopt} goes over to another one.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@code lock} guards everything but the view, and is
 * not held across I/O.
 */
final class Installer {
    /** The epoch before anything was read. The database's begin with 1. */
    static final long NOTHING_READ = 0;

    static final Rules NO_RULES = new Rules(0, List.of(), Map.of(), Duration.ofSeconds(1));

    /**
     * A state that was read, with everything that belongs to it.
     *
     * @param keys those of the state's version of the keys, or newer ones
     */
    record Loaded(ControlState state, Rules rules, KeyRing keys) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final ControlView view;
    private final Deque<Snapshot> older = new ArrayDeque<>();
    private List<Stop> stops = List.of();
    private List<Stop> latched = List.of();

    /** Where the current state was read; written after that state was published. */
    private volatile Lease.@Nullable Server source;

    /** Begins closed: nothing was read, nothing is trusted. */
    Installer(long nowNanos) {
        view =
                new ControlView(
                        new Snapshot(
                                NOTHING_READ,
                                NO_RULES,
                                List.of(),
                                List.of(),
                                KeyRing.EMPTY,
                                nowNanos));
    }

    ControlView view() {
        return view;
    }

    long epoch() {
        return view.current().epoch();
    }

    /** Whether the current state came from that server, or none was read yet. */
    boolean comesFrom(Lease.Server server) {
        Lease.Server now = source;
        return now == null || now.equals(server);
    }

    /**
     * @throws SQLException if the current state came from another server
     */
    void checkSource(Lease.Server server) throws SQLException {
        if (!comesFrom(server)) {
            throw new SQLException(
                    "this connection leads to "
                            + server
                            + ", the control state came from "
                            + source,
                    "08004");
        }
    }

    /**
     * Publishes a state if it is newer than the current one, and of the same server. Returns
     * whether it was.
     */
    boolean install(Loaded loaded) {
        return install(loaded, false);
    }

    /**
     * Publishes what a beat has read: a newer state, or any of another server whose epoch is not
     * below. The lease of what was read from the server before must be over. Returns whether it was
     * published.
     */
    boolean adopt(Loaded loaded) {
        return install(loaded, true);
    }

    private boolean install(Loaded loaded, boolean adopts) {
        ControlState state = loaded.state();
        ControlState.Stops newStops = state.stops();
        lock.lock();
        try {
            Snapshot before = view.current();
            boolean another = !comesFrom(state.server());
            boolean news =
                    another
                            ? adopts && state.epoch() >= before.epoch()
                            : state.epoch() > before.epoch();
            if (newStops == null || !news || !newStops.follows(before.epoch())) {
                return false;
            }
            List<Block> blocks = state.blocks();
            stops = newStops.after(stops);
            publish(
                    before,
                    state.epoch(),
                    loaded.rules(),
                    blocks == null ? before.content().blocks() : new BlockIndex(blocks),
                    loaded.keys(),
                    state.keysVersion());
            source = state.server();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the stops that stand here whatever the database says. */
    void latch(List<Stop> stopsHere) {
        lock.lock();
        try {
            latched = List.copyOf(stopsHere);
            Snapshot before = view.current();
            Snapshot.Content c = before.content();
            publish(before, before.epoch(), c.rules(), c.blocks(), c.keys(), c.keysVersion());
        } finally {
            lock.unlock();
        }
    }

    private void publish(
            Snapshot before,
            long epoch,
            Rules rules,
            BlockIndex blocks,
            KeyRing keys,
            long keysVersion) {
        List<Stop> all = new ArrayList<>(latched);
        all.addAll(stops);
        older.removeIf(Snapshot::quiet);
        older.add(before);
        view.publish(
                before.successor(
                        epoch, new Snapshot.Content(rules, all, blocks, keys, keysVersion)));
    }

    /** Extends the lease of the state with that epoch; false if it is not the current one. */
    boolean trust(long epoch, long untilNanos, long notAfterMillis) {
        lock.lock();
        try {
            Snapshot current = view.current();
            if (current.epoch() != epoch) {
                return false;
            }
            current.trust(untilNanos, notAfterMillis);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the lease, for sends under older states too. */
    void distrust(long nowNanos) {
        lock.lock();
        try {
            view.current().distrust(nowNanos);
            older.forEach(snapshot -> snapshot.distrust(nowNanos));
        } finally {
            lock.unlock();
        }
    }

    /** Whether no send section of a state older than the current one is open. */
    boolean olderQuiet() {
        lock.lock();
        try {
            older.removeIf(Snapshot::quiet);
            return older.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Whether no send section is open at all; meant for after {@link #distrust}. */
    boolean quiet() {
        return view.current().quiet() && olderQuiet();
    }

    @Nullable Stop stopOfEverything() {
        return view.current().stopOfEverything();
    }
}

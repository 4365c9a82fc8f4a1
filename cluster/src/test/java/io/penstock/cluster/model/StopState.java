package io.penstock.cluster.model;

import java.util.Arrays;

/**
 * One state of {@link StopModel}: small numbers, in one array so that a million of them fit.
 *
 * <p>Replicas are interchangeable, so a state keeps them sorted: two states that differ only in who
 * is who are the same.
 */
final class StopState {
    /** What the database and the world around it hold. */
    enum Whole {
        /** The control row's epoch. */
        EPOCH,
        /** Stops that hold, a bit each. */
        ACTIVE,
        /** Stops whose row says that they were lifted. */
        LIFTED,
        /** What the standby has of the three above: what a failover leaves. */
        KEPT_EPOCH,
        KEPT_ACTIVE,
        KEPT_LIFTED,
        /** Which server answers: grows with a failover. */
        SERVER,
        /** Other changes that raised the epoch. */
        CHANGES,
        /** The cluster's lease is the long one, as at first. */
        LONG_LEASE,
        /** Ghost: stops that somebody ordered to be lifted. */
        TO_LIFT,
        /** What {@code resume --all} has listed, plus one; 0: nobody has. */
        RESUMING,
        /** Ghost: what went wrong. */
        WRONG
    }

    /** One stop and the operator who gives it. */
    enum Order {
        PHASE,
        /** What a replica must have acknowledged. */
        EPOCH,
        /** Ticks of the operator's own clock until silent replicas are fenced. */
        WAIT,
        /** His clock has run ahead once. */
        AHEAD
    }

    /** One replica, its row, and what operators still want of it. */
    enum Replica {
        LIFE,
        /** The control state that it judges by; epoch 0: none was read. */
        VIEW_EPOCH,
        VIEW_STOPS,
        /** The server that it was read from. */
        VIEW_SERVER,
        /** Ticks of its own clock for which it trusts that state. */
        TRUST,
        /** Its clock has lagged once since the lease was granted. */
        LAGGED,
        /** The lease that it trusts by is the long one. */
        TRUST_LONG,
        BEAT,
        /** Ticks of its own clock since the beat began. */
        BEAT_AGE,
        /** The lease that the beat's answer named is the long one. */
        BEAT_LONG,
        /** What the beat's second statement has read. */
        READ_EPOCH,
        READ_STOPS,
        READ_SERVER,
        /** A read that is not a beat's is under way. */
        LISTEN,
        LISTEN_EPOCH,
        LISTEN_STOPS,
        LISTEN_SERVER,
        SECTION,
        /** The section is that of a state older than the present one. */
        SECTION_OLD,
        /** What is left of that older state's lease. */
        SECTION_TRUST,
        /** That lease has been lengthened by a lag of the clock. */
        SECTION_LAGGED,
        /** Ticks since the check. */
        SECTION_AGE,
        /** The process stood still between check and write. */
        SECTION_LATE,
        /** A stream is open that the stops match. */
        STREAM,
        /** What is open was judged by the present state. */
        APPLIED,
        /** Cut off from Postgres. */
        CUT,
        ROW,
        /** The lease that its row names is the long one. */
        ROW_LONG,
        /** The sweeper's own clock: ticks until it may close the fenced row. */
        ROW_WAIT,
        /** An earlier incarnation of this process left a fenced row. */
        OVER,
        /** The sweeper's own clock: ticks until it may close that one. */
        OVER_WAIT,
        ACKNOWLEDGED,
        /** The first, the second order waits for it. */
        WANTED_0,
        WANTED_1
    }

    // What Replica.LIFE says.
    static final int DEAD = 0;
    static final int UP = 1;
    static final int FROZEN = 2;
    static final int ASLEEP = 3;

    /** Says that it is closed, and still sends. */
    static final int LEAVING = 4;

    /** Met a lower epoch: only a restart opens it. */
    static final int REFUSED = 5;

    // What Replica.BEAT says: how far it is.
    static final int NONE = 0;
    static final int BEGUN = 1;
    static final int COMMITTED = 2;
    static final int READ = 3;

    /** Read first, not committed yet. */
    static final int READ_FIRST = 4;

    // What Replica.SECTION says.
    static final int INSIDE = 1;
    static final int CHECKED = 2;

    /** Has written and left, and writes again. */
    static final int RETRIES = 3;

    // What Replica.ROW says.
    static final int LIVE = 1;
    static final int FENCED = 2;
    static final int CLOSED = 3;

    // What Order.PHASE says.
    static final int NEW = 0;
    static final int ANSWER_ON_ITS_WAY = 1;
    static final int UNKNOWN = 2;
    static final int RECORDED = 3;
    static final int LISTED = 4;
    static final int CONFIRMED = 5;
    static final int LIFTED_BEFORE = 6;

    /** Sent, not committed; in variants alone. */
    static final int SENT = 7;

    // What Whole.WRONG says.
    static final int CALL_SENT = 1;
    static final int CHUNK_SENT = 2;

    private static final int WHOLE = Whole.values().length;
    private static final int ORDER = Order.values().length;
    private static final int REPLICA = Replica.values().length;

    private final byte[] cells;
    private final int orders;
    private final int hash;

    StopState(int orders, int replicas) {
        this(new byte[WHOLE + orders * ORDER + replicas * REPLICA], orders);
    }

    private StopState(byte[] cells, int orders) {
        this.cells = cells;
        this.orders = orders;
        hash = Arrays.hashCode(cells);
    }

    int get(Whole cell) {
        return cells[cell.ordinal()];
    }

    int get(int order, Order cell) {
        return cells[WHOLE + order * ORDER + cell.ordinal()];
    }

    int get(int replica, Replica cell) {
        return cells[WHOLE + orders * ORDER + replica * REPLICA + cell.ordinal()];
    }

    /**
     * Whether an order waits for that replica: 1 until it acknowledges or its lease is over, 2 for
     * an incarnation that cannot acknowledge any more.
     */
    static Replica wanted(int order) {
        return order == 0 ? Replica.WANTED_0 : Replica.WANTED_1;
    }

    Draft next() {
        return new Draft(cells.clone(), orders);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StopState s && hash == s.hash && Arrays.equals(cells, s.cells);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** A state in the making. */
    static final class Draft {
        private final byte[] cells;
        private final int orders;

        private Draft(byte[] cells, int orders) {
            this.cells = cells;
            this.orders = orders;
        }

        int get(Whole cell) {
            return cells[cell.ordinal()];
        }

        int get(int order, Order cell) {
            return cells[WHOLE + order * ORDER + cell.ordinal()];
        }

        int get(int replica, Replica cell) {
            return cells[WHOLE + orders * ORDER + replica * REPLICA + cell.ordinal()];
        }

        Draft set(Whole cell, int value) {
            cells[cell.ordinal()] = (byte) value;
            return this;
        }

        Draft set(int order, Order cell, int value) {
            cells[WHOLE + order * ORDER + cell.ordinal()] = (byte) value;
            return this;
        }

        Draft set(int replica, Replica cell, int value) {
            cells[WHOLE + orders * ORDER + replica * REPLICA + cell.ordinal()] = (byte) value;
            return this;
        }

        /** Counts a clock down to 0. */
        void down(int replica, Replica cell) {
            int value = get(replica, cell);
            if (value > 0) {
                set(replica, cell, value - 1);
            }
        }

        void down(int order, Order cell) {
            int value = get(order, cell);
            if (value > 0) {
                set(order, cell, value - 1);
            }
        }

        Draft copy() {
            return new Draft(cells.clone(), orders);
        }

        StopState done(boolean sorted) {
            if (sorted) {
                sort();
            }
            return new StopState(cells, orders);
        }

        /** Insertion sort of the replicas' blocks: there are two or three. */
        private void sort() {
            int first = WHOLE + orders * ORDER;
            byte[] held = new byte[REPLICA];
            for (int at = first + REPLICA; at < cells.length; at += REPLICA) {
                for (int to = at;
                        to > first
                                && Arrays.compare(cells, to - REPLICA, to, cells, to, to + REPLICA)
                                        > 0;
                        to -= REPLICA) {
                    System.arraycopy(cells, to, held, 0, REPLICA);
                    System.arraycopy(cells, to - REPLICA, cells, to, REPLICA);
                    System.arraycopy(held, 0, cells, to - REPLICA, REPLICA);
                }
            }
        }
    }
}

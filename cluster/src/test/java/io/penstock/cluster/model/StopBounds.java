package io.penstock.cluster.model;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * What bounds the states.
 *
 * @param trust ticks that a replica trusts for
 * @param section ticks that a send section may last
 * @param patience ticks that an operator waits
 * @param matching the orders whose scope covers the calls, a bit each
 */
record StopBounds(
        int replicas,
        int orders,
        int trust,
        int section,
        int patience,
        int matching,
        Set<May> may) {
    /** What can happen beside the ordinary. */
    enum May {
        /** Clocks run at different rates. */
        DRIFT,
        /** A read that is not a beat's arrives late. */
        READ_LATE,
        /** A process stands still while its clock goes on (SIGSTOP). */
        FREEZE,
        /** A machine sleeps, and its monotonic clock with it. */
        SUSPEND,
        /** A replica is killed, and boots again. */
        DIE,
        /** A replica is cut off from Postgres, and its answers are lost. */
        CUT,
        /** A replica ends cleanly. */
        CLOSE,
        /** The sweeper takes a replica for dead, by a clock that means nothing. */
        SWEEP,
        /** A call leaves a stream open. */
        STREAM,
        /** Waits for the standby are cut short; the standby is promoted. */
        FAIL_OVER,
        /** Something else changes: a key, a block, a revision. */
        CHANGE,
        /** The cluster's lease becomes a shorter one. */
        SHORTEN,
        /** A stop is lifted by its id. */
        RESUME,
        /** Somebody lists what holds, and lifts what he listed. */
        RESUME_ALL
    }

    StopBounds {
        may = Set.copyOf(may);
    }

    static StopBounds of(int replicas, int orders, May... may) {
        Set<May> all = EnumSet.noneOf(May.class);
        all.addAll(Arrays.asList(may));
        boolean drift = all.contains(May.DRIFT);
        return new StopBounds(replicas, orders, drift ? 2 : 1, 1, drift ? 5 : 2, 3, all);
    }

    StopBounds lease(int trustTicks, int waitTicks) {
        return new StopBounds(replicas, orders, trustTicks, section, waitTicks, matching, may);
    }

    StopBounds matching(int bits) {
        return new StopBounds(replicas, orders, trust, section, patience, bits, may);
    }
}

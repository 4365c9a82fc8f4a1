package io.penstock.cluster.admission;

/**
 * How many lanes should be at work.
 *
 * <p>One lane with full batches beats two with half-full ones, because a batch costs the database
 * far more than a call in it. So another lane joins only while batches are full and locks are free,
 * and one goes as soon as batches are not, or when lanes mostly wait for each other's locks: on one
 * hot counter they decide one after the other whatever their number.
 *
 * <p><b>Threads.</b> Safe for concurrent use; its monitor guards the averages.
 */
final class LanePace {
    private static final double WEIGHT = 0.05;
    private static final double FULL_ENOUGH = 0.8;
    private static final double FULL_TOO_SELDOM = 0.3;
    private static final double LOCKS_FREE = 0.2;
    private static final double LOCKS_DOMINATE = 0.4;
    private static final int ROUNDS_BETWEEN_CHANGES = 50;
    private static final double DRIFT = 1.0005;

    private final int lanesMax;
    private double full;
    private double waiting;
    private double leastWaitMicros = Long.MAX_VALUE;
    private int roundsSinceChange;
    private volatile int lanes = 1;

    LanePace(int lanesMax) {
        this.lanesMax = lanesMax;
    }

    int lanes() {
        return lanes;
    }

    /**
     * Takes in one answered batch.
     *
     * @param wasFull no further call would have found room in it
     * @return whether the number of lanes is another one now
     */
    synchronized boolean round(boolean wasFull, long lockWaitMicros, long roundNanos) {
        double share = Math.clamp(excess(lockWaitMicros) * 1_000.0 / Math.max(1, roundNanos), 0, 1);
        full += WEIGHT * ((wasFull ? 1.0 : 0.0) - full);
        waiting += WEIGHT * (share - waiting);
        if (++roundsSinceChange < ROUNDS_BETWEEN_CHANGES) {
            return false;
        }
        int wanted = lanes;
        if (full > FULL_ENOUGH && waiting < LOCKS_FREE) {
            wanted = Math.min(lanesMax, lanes + 1);
        } else if (full < FULL_TOO_SELDOM || waiting > LOCKS_DOMINATE) {
            wanted = Math.max(1, lanes - 1);
        }
        if (wanted == lanes) {
            return false;
        }
        lanes = wanted;
        roundsSinceChange = 0;
        return true;
    }

    /**
     * What the ledger reports as waiting begins with the arrival of the statement; without anybody
     * to wait for that is what reading it takes. The least seen is that, and may drift upwards.
     */
    private double excess(long waitMicros) {
        leastWaitMicros = Math.min(leastWaitMicros * DRIFT + 0.1, waitMicros);
        return waitMicros - leastWaitMicros;
    }
}

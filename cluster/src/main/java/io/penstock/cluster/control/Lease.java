package io.penstock.cluster.control;

import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a beat proves that this replica's view of the control state is fresh enough to
 * admit calls, and until when.
 *
 * <p><b>Guarantee.</b> Trust is counted from before the beat began, never from its answer, and only
 * for a state that was read after the beat was committed. So an operator who listed this replica's
 * row after a stop was committed, and then waited the lease that the row names on a clock of his
 * own, knows that no call is admitted under an older state.
 *
 * <p><b>Failure.</b> A lower epoch, another cluster's database or a pooler in between end the lease
 * for good: only a restart, with a person behind it, tries again.
 *
 * <p><b>Threads.</b> Confined to the lease's thread, but {@link #clocksDisagree}, {@link #refusal}
 * and {@link #server}.
 *
 * <p><b>Source.</b> Protocol page, section 2. Pure over two clocks, as the heartbeat state of
 * db-scheduler is.
 */
final class Lease {
    /** Share of the lease P that a replica trusts for; an operator waits all of it. */
    private static final double TRUST = 0.75;

    /** Longest disagreement of wall and monotonic clock since a beat began: a suspended machine. */
    private static final long DISAGREEMENT_MILLIS_MAX = 250;

    private static final long NANOS_PER_MILLI = 1_000_000;

    static final String POOLER =
            "a connection pooler stands between this replica and Postgres: control connections have"
                    + " to be direct";

    /** The clocks at the moment that a beat began. */
    record Attempt(long startedNanos, long startedMillis) {}

    /** What a beat proved. */
    sealed interface Verdict {
        /** The state that was read may be trusted. */
        record Granted(long untilNanos, long notAfterMillis) implements Verdict {}

        /** Nothing is proved; the next beat may. */
        record Withheld(String reason) implements Verdict {}

        /** Another server or timeline answers; what was trusted before is over. */
        record ServerChanged(String reason) implements Verdict {}

        /** This incarnation is over. */
        record Fenced() implements Verdict {}

        /** No lease any more until a restart. */
        record Refused(String reason) implements Verdict {}
    }

    /** Which server answers, and on which timeline of its history. */
    record Server(long systemIdentifier, String timeline) {}

    private final LongSupplier ticker;
    private final InstantSource wall;
    private @Nullable String cluster;
    private volatile @Nullable Server server;
    private long trustedUntilNanos;
    private int trustingMillis;
    private volatile @Nullable Attempt lastGranted;
    private volatile @Nullable String refusal;

    Lease(LongSupplier ticker, InstantSource wall) {
        this.ticker = ticker;
        this.wall = wall;
    }

    Attempt begin() {
        long millis = wall.millis();
        return new Attempt(ticker.getAsLong(), millis);
    }

    /** The largest lease that a grant still in force was made by, for the next beat's row. */
    int trustingMillis() {
        return trustingMillis;
    }

    /**
     * Judges a beat that was answered without a warning.
     *
     * @param connectionPid the server process that the connection was given when it was made
     * @param readEpoch the epoch of the state that was read after the answer
     * @param installedEpoch the highest epoch that this replica ever installed
     */
    Verdict judge(
            Attempt attempt,
            BeatReply reply,
            int connectionPid,
            long readEpoch,
            long installedEpoch) {
        String broken = refusalOf(reply, connectionPid, readEpoch, installedEpoch);
        if (broken != null) {
            refusal = broken;
            forget();
            return new Verdict.Refused(broken);
        }
        if (reply.fenced()) {
            forget();
            return new Verdict.Fenced();
        }
        cluster = reply.cluster();
        Server now = new Server(reply.systemIdentifier(), reply.timeline());
        Server before = server;
        server = now;
        if (before != null && !before.equals(now)) {
            forget();
            return new Verdict.ServerChanged(before + " became " + now);
        }
        if (disagree(attempt)) {
            return new Verdict.Withheld("wall clock and monotonic clock disagree");
        }
        return grant(attempt, reply);
    }

    private @Nullable String refusalOf(
            BeatReply reply, int connectionPid, long readEpoch, long installedEpoch) {
        if (refusal != null) {
            return refusal;
        }
        if (reply.backendPid() != connectionPid) {
            return POOLER;
        }
        if (cluster != null && !cluster.equals(reply.cluster())) {
            return "the database belongs to another cluster now: restart once this is put right";
        }
        if (readEpoch < installedEpoch) {
            return "the control epoch went back from "
                    + installedEpoch
                    + " to "
                    + readEpoch
                    + ": the database was restored or is another one; check its stops, then"
                    + " restart";
        }
        return null;
    }

    private Verdict grant(Attempt attempt, BeatReply reply) {
        int leaseMillis = reply.leaseMillis();
        long until = attempt.startedNanos() + (long) (leaseMillis * TRUST * NANOS_PER_MILLI);
        // A shorter lease takes over only once it reaches past what was granted by a longer one.
        if (trustingMillis == 0 || until - trustedUntilNanos > 0) {
            trustingMillis = leaseMillis;
            trustedUntilNanos = until;
        }
        lastGranted = attempt;
        return new Verdict.Granted(until, reply.databaseMicros() / 1000 + leaseMillis);
    }

    /** What was granted is over: the owner of this object ended it. */
    void forget() {
        trustingMillis = 0;
        lastGranted = null;
    }

    /** Whether the machine seems to have been suspended since the beat that the lease rests on. */
    boolean clocksDisagree() {
        Attempt granted = lastGranted;
        return granted != null && disagree(granted);
    }

    /** The server that the last beat reached, or null. */
    @Nullable Server server() {
        return server;
    }

    /** Why there can be no lease until a restart, or null. */
    @Nullable String refusal() {
        return refusal;
    }

    private boolean disagree(Attempt since) {
        long wallMillis = wall.millis() - since.startedMillis();
        long monotonicMillis = (ticker.getAsLong() - since.startedNanos()) / NANOS_PER_MILLI;
        return Math.abs(wallMillis - monotonicMillis) > DISAGREEMENT_MILLIS_MAX;
    }
}

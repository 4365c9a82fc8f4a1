package io.penstock.gateway.call;

import io.penstock.budget.Mode;
import io.penstock.cluster.control.Judgement;
import io.penstock.cluster.control.OpenCalls;
import io.penstock.cluster.control.Snapshot;
import io.penstock.cluster.control.Stop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Every call under way on this replica.
 *
 * <p><b>Guarantee.</b> A call is in here before it enters its send section. A state that was
 * published before {@link #apply} looks is therefore either seen by the call in its send section,
 * or the call is seen here.
 *
 * <p><b>Threads.</b> Safe for concurrent use. {@link #sweep} by one thread.
 *
 * <p><b>Cost.</b> One concurrent map entry per call; a sweep reads each open call once.
 */
public final class OpenCallRegistry implements OpenCalls {
    private static final long WRITER_GRACE_NANOS = 30_000_000;

    private final Set<OpenCall> calls = ConcurrentHashMap.newKeySet();
    private final LongSupplier ticker;

    public OpenCallRegistry(LongSupplier ticker) {
        this.ticker = ticker;
    }

    void add(OpenCall open) {
        calls.add(open);
    }

    void remove(OpenCall open) {
        calls.remove(open);
    }

    @Override
    public int apply(Snapshot state) {
        long now = ticker.getAsLong();
        int count = 0;
        for (OpenCall open : calls) {
            Judgement against = against(state, open, now);
            if (against != null && open.cut(new Cut.Judged(against), now)) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int openUnder(Snapshot state) {
        int count = 0;
        for (OpenCall open : calls) {
            if (state.stopAgainst(open.call().subject()) != null) {
                count++;
            }
        }
        return count;
    }

    @Override
    public int open() {
        return calls.size();
    }

    @Override
    public void closeSendsBefore(long epoch) {
        long now = ticker.getAsLong();
        for (OpenCall open : calls) {
            if (open.sendingUnderOlderThan(epoch)) {
                open.cut(new Cut.Judged(Judgement.STALE), now);
            }
        }
    }

    @Override
    public void cutAll(String reason) {
        long now = ticker.getAsLong();
        for (OpenCall open : calls) {
            open.cut(new Cut.Closing(reason), now);
        }
    }

    /**
     * Cuts what is overdue, and sends that are still being made when the lease is over, and wakes
     * writers that a cut has not reached. Called every few milliseconds.
     */
    public void sweep(Snapshot current) {
        long now = ticker.getAsLong();
        boolean lapsed = !current.trusted(now);
        for (OpenCall open : calls) {
            // Whoever waits for the end of this lease counts on it: a send is short, or does not
            // come to its end.
            if (lapsed && open.sendingUnderOlderThan(Long.MAX_VALUE)) {
                open.cut(new Cut.Judged(Judgement.STALE), now);
            }
            Cut overdue = open.cut() == null ? open.overdue(now) : null;
            if (overdue != null) {
                open.cut(overdue, now);
            }
            if (open.lingering(now, WRITER_GRACE_NANOS)) {
                open.wakeWriter();
            }
        }
    }

    /** A stop that drains lets a call finish; one that cuts, or a block, does not. */
    private static @Nullable Judgement against(Snapshot state, OpenCall open, long now) {
        Stop stop = state.stopAgainst(open.call().subject());
        if (stop != null && !stop.drain()) {
            return new Judgement.Stopped(stop);
        }
        if (state.rules().servers().get(open.call().subject().server()) == Mode.OFF) {
            return null;
        }
        return state.judge(open.call().subject(), now) instanceof Judgement.Blocked blocked
                ? blocked
                : null;
    }
}

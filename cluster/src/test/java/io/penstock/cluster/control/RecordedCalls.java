package io.penstock.cluster.control;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Open calls by hand: counts what the bus asks, answers what the test sets. */
final class RecordedCalls implements OpenCalls {
    final List<Long> applied = new CopyOnWriteArrayList<>();
    final List<Long> closedBefore = new CopyOnWriteArrayList<>();
    final List<String> cutAll = new CopyOnWriteArrayList<>();

    /** Told of each state before it is noted as applied. */
    volatile Consumer<Snapshot> onApply = state -> {};

    final AtomicInteger cuts = new AtomicInteger();
    final AtomicInteger open = new AtomicInteger();

    @Override
    public int apply(Snapshot state) {
        onApply.accept(state);
        applied.add(state.epoch());
        return state.stops().isEmpty() ? 0 : cuts.get();
    }

    @Override
    public int openUnder(Snapshot state) {
        return state.stops().isEmpty() ? 0 : open.get();
    }

    @Override
    public int open() {
        return open.get();
    }

    @Override
    public void closeSendsBefore(long epoch) {
        closedBefore.add(epoch);
    }

    @Override
    public void cutAll(String reason) {
        cutAll.add(reason);
    }
}

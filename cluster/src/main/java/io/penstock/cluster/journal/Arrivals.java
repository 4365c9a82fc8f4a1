package io.penstock.cluster.journal;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What callers leave and one thread takes away: a bounded list that is appended to without a lock.
 *
 * <p><b>Guarantee.</b> What {@link #add} has accepted is in exactly one answer of {@link #takeAll},
 * in the order in which it was accepted.
 *
 * <p><b>Source.</b> R. K. Treiber, Systems programming: coping with parallelism, 1986. There is no
 * removal of single nodes, and so no ABA problem.
 */
final class Arrivals<T> {
    private record Node<T>(T value, @Nullable Node<T> before) {}

    private final AtomicReference<@Nullable Node<T>> newest = new AtomicReference<>();
    private final AtomicInteger size = new AtomicInteger();
    private final int capacity;

    Arrivals(int capacity) {
        this.capacity = capacity;
    }

    /**
     * @return how many wait with this one, or 0 if it was not accepted because too many wait
     */
    int add(T value) {
        int waiting = size.incrementAndGet();
        if (waiting > capacity) {
            size.decrementAndGet();
            return 0;
        }
        while (true) {
            Node<T> before = newest.get();
            if (newest.compareAndSet(before, new Node<>(value, before))) {
                return waiting;
            }
        }
    }

    List<T> takeAll() {
        List<T> taken = new ArrayList<>();
        for (Node<T> node = newest.getAndSet(null); node != null; node = node.before()) {
            taken.add(node.value());
        }
        size.addAndGet(-taken.size());
        Collections.reverse(taken);
        return taken;
    }

    int size() {
        return size.get();
    }
}

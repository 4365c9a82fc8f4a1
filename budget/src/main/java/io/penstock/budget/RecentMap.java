package io.penstock.budget;

import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A map that keeps what was used recently and never holds more than its bound.
 *
 * <p>Two generations of half the bound each: entries are added to the young one, used ones move
 * over from the old one, and when the young one is full it becomes the old one, whose rest is
 * dropped.
 *
 * <p><b>Threads.</b> Safe for concurrent use; a look-up takes no lock. The bound holds up to one
 * entry for each thread that adds at the same moment.
 */
final class RecentMap<K, V> {
    private final int generationMax;
    private volatile Generations<K, V> generations = new Generations<>();

    private record Generations<K, V>(ConcurrentHashMap<K, V> young, ConcurrentHashMap<K, V> old) {
        Generations() {
            this(new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
        }
    }

    RecentMap(int entriesMax) {
        generationMax = Math.max(1, entriesMax / 2);
    }

    @Nullable V get(K key) {
        Generations<K, V> now = generations;
        V value = now.young().get(key);
        if (value != null) {
            return value;
        }
        value = now.old().get(key);
        if (value != null) {
            now.young().put(key, value);
            now.old().remove(key, value);
            turn(now);
        }
        return value;
    }

    void put(K key, V value) {
        Generations<K, V> now = generations;
        now.young().put(key, value);
        now.old().remove(key);
        turn(now);
    }

    void remove(K key, V value) {
        Generations<K, V> now = generations;
        now.young().remove(key, value);
        now.old().remove(key, value);
    }

    boolean isEmpty() {
        Generations<K, V> now = generations;
        return now.young().isEmpty() && now.old().isEmpty();
    }

    int size() {
        Generations<K, V> now = generations;
        return now.young().size() + now.old().size();
    }

    void clear() {
        generations = new Generations<>();
    }

    private void turn(Generations<K, V> seen) {
        if (seen.young().mappingCount() >= generationMax) {
            synchronized (this) {
                if (generations == seen) {
                    generations = new Generations<>(new ConcurrentHashMap<>(), seen.young());
                }
            }
        }
    }
}

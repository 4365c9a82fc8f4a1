package io.penstock.cluster.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Refusals of a span of time, counted by code, budget, tenant and agent.
 *
 * <p><b>Guarantee.</b> The counts of all rows add up to what was added, for each code. At most
 * {@code rowsMax} rows name an agent; what is beyond them is counted by code alone, in rows with
 * {@link Row#others}.
 *
 * <p><b>Threads.</b> One.
 */
final class Tally {
    /** What is counted together. */
    record Key(String code, @Nullable String budget, String tenant, String agent) {
        static Key of(RefusalEntry entry) {
            return new Key(
                    entry.code(),
                    entry.budget(),
                    entry.subject().tenant(),
                    entry.subject().agent());
        }
    }

    /**
     * One line of the result.
     *
     * @param key null where the row stands for the agents beyond the bound
     */
    record Row(String code, @Nullable Key key, long count) {
        boolean others() {
            return key == null;
        }
    }

    private final long startNanos;
    private final int rowsMax;
    private final Map<Key, Long> named = new HashMap<>();
    private final Map<String, Long> others = new HashMap<>();

    /**
     * @param startNanos when the span began, on the monotonic clock
     */
    Tally(long startNanos, int rowsMax) {
        this.startNanos = startNanos;
        this.rowsMax = rowsMax;
    }

    long startNanos() {
        return startNanos;
    }

    void add(Key key, long count) {
        if (named.containsKey(key) || named.size() < rowsMax) {
            named.merge(key, count, Math::addExact);
        } else {
            addOther(key.code(), count);
        }
    }

    void addOther(String code, long count) {
        others.merge(code, count, Math::addExact);
    }

    /** Takes in the counts of a later span, which from now on belong to this one. */
    void absorb(Tally later) {
        later.named.forEach(this::add);
        later.others.forEach(this::addOther);
    }

    boolean empty() {
        return named.isEmpty() && others.isEmpty();
    }

    List<Row> rows() {
        List<Row> rows = new ArrayList<>(named.size() + others.size());
        named.forEach((key, count) -> rows.add(new Row(key.code(), key, count)));
        others.forEach((code, count) -> rows.add(new Row(code, null, count)));
        return rows;
    }
}

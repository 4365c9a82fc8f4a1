package io.penstock.gateway.admin;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Tags;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters of one name that differ in one label, made when the label is first seen.
 *
 * <p><b>Bounds.</b> A word that is not among the known ones, or comes after {@link #WORDS_MAX}
 * where none are known beforehand, counts as {@code other}.
 *
 * <p><b>Threads.</b> Safe for concurrent use.
 */
final class LabelledCounters {
    static final String OTHER = "other";
    private static final int WORDS_MAX = 40;

    /**
     * @param tags beside the label
     */
    record Name(String name, String help, String label, Tags tags) {}

    private final Exposition exposition;
    private final Name name;
    private final Set<String> known;
    private final ConcurrentHashMap<String, LongAdder> counters = new ConcurrentHashMap<>();

    /**
     * @param known the label's words; empty where they are not known beforehand
     */
    LabelledCounters(Exposition exposition, Name name, Set<String> known) {
        this.exposition = exposition;
        this.name = name;
        this.known = known;
    }

    LongAdder of(String word) {
        LongAdder seen = counters.get(word);
        return seen != null ? seen : counters.computeIfAbsent(bounded(word), this::make);
    }

    private String bounded(String word) {
        boolean room = known.isEmpty() ? counters.size() < WORDS_MAX : known.contains(word);
        return room ? word : OTHER;
    }

    private LongAdder make(String word) {
        LongAdder counter = new LongAdder();
        exposition.add(
                registry ->
                        FunctionCounter.builder(name.name(), counter, LongAdder::sum)
                                .description(name.help())
                                .tags(name.tags().and(name.label(), word))
                                .register(registry));
        return counter;
    }
}

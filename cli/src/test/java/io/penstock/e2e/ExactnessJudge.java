package io.penstock.e2e;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Whether a limit of so many calls a second was kept and could be used up, judged by what arrived
 * at the upstream and by the times that the database gave the intents.
 *
 * <p>Never over, in any second. In each whole second of the load exactly the limit, unless in that
 * second the gate left calls undecided or too few were offered: such a second proves nothing, and
 * is named as a disturbance. All times are microseconds of the database's clock.
 */
final class ExactnessJudge {
    /** Half the load is the least at which the limit must be reached. */
    private static final int OFFERED_PER_LIMIT_MIN = 2;

    /** How exactly the caller's times are known in the database's. */
    private static final long SLACK_MICROS = 50_000;

    private static final long WINDOW_MICROS = 1_000_000;
    private static final String ADMITTED = "admitted";
    private static final Set<String> DECIDED = Set.of(ADMITTED, "budget-exhausted");
    private static final Set<String> UNDECIDED = Gate.OF_A_BUSY_MACHINE;

    /** A call as its caller saw it. */
    record Offered(UUID call, String decision, long departed, long answered) {}

    /** The durable intent of a call. */
    record Intent(UUID call, long at) {}

    /** Everything that is known of a load. */
    record History(List<Offered> offered, List<UUID> arrivals, List<Intent> intents) {}

    /**
     * What came out.
     *
     * @param arrived calls at the upstream, by window
     * @param violations what is wrong whatever the machine did
     * @param disturbances why this history proves less than it should
     */
    record Verdict(
            SortedMap<Long, Integer> arrived, List<String> violations, List<String> disturbances) {}

    private final int limit;
    private final int windows;
    private final History history;
    private final List<String> violations = new ArrayList<>();
    private final List<String> disturbances = new ArrayList<>();

    private ExactnessJudge(int limit, int windows, History history) {
        this.limit = limit;
        this.windows = windows;
        this.history = history;
    }

    /**
     * @param windows how many whole seconds, from the first that begins within the load
     */
    static Verdict judge(int limit, int windows, History history) {
        return new ExactnessJudge(limit, windows, history).judge();
    }

    private Verdict judge() {
        Map<UUID, Long> windowOf = windowOfEachIntent();
        SortedMap<Long, Integer> arrived = arrivals(windowOf);
        answers();
        arrived.forEach(
                (window, count) -> {
                    if (count > limit) {
                        violations.add("window " + window + " has " + count + " of " + limit);
                    }
                });
        long first =
                1
                        + history.offered().stream()
                                        .mapToLong(Offered::departed)
                                        .min()
                                        .orElseThrow()
                                / WINDOW_MICROS;
        for (long window = first; window < first + windows; window++) {
            whole(window, arrived.getOrDefault(window, 0));
        }
        long undecided = history.offered().stream().filter(ExactnessJudge::undecided).count();
        if (undecided > 0) disturbances.add(undecided + " calls could not be decided");
        return new Verdict(arrived, List.copyOf(violations), List.copyOf(disturbances));
    }

    private Map<UUID, Long> windowOfEachIntent() {
        Map<UUID, Long> windowOf = new HashMap<>();
        for (Intent intent : history.intents()) {
            if (windowOf.put(intent.call(), intent.at() / WINDOW_MICROS) != null) {
                violations.add("call " + intent.call() + " has two intents");
            }
        }
        return windowOf;
    }

    private SortedMap<Long, Integer> arrivals(Map<UUID, Long> windowOf) {
        SortedMap<Long, Integer> arrived = new TreeMap<>();
        Set<UUID> seen = new HashSet<>();
        for (UUID call : history.arrivals()) {
            Long window = windowOf.get(call);
            if (!seen.add(call)) {
                violations.add("call " + call + " arrived twice");
            } else if (window == null) {
                violations.add("call " + call + " arrived without an intent");
            } else {
                arrived.merge(window, 1, Integer::sum);
            }
        }
        return arrived;
    }

    private void answers() {
        Set<UUID> arrived = new HashSet<>(history.arrivals());
        for (Offered call : history.offered()) {
            boolean admitted = call.decision().equals(ADMITTED);
            if (admitted != arrived.remove(call.call())) {
                violations.add(
                        "call %s was answered %s and %s"
                                .formatted(
                                        call.call(),
                                        call.decision(),
                                        admitted ? "did not arrive" : "arrived"));
            }
            if (!DECIDED.contains(call.decision()) && !undecided(call)) {
                violations.add("call " + call.call() + " was answered " + call.decision());
            }
        }
        arrived.forEach(call -> violations.add("call " + call + " arrived and was not answered"));
    }

    private void whole(long window, int count) {
        if (count >= limit) return;
        long from = window * WINDOW_MICROS;
        long to = from + WINDOW_MICROS;
        long offered = 0;
        long undecided = 0;
        for (Offered call : history.offered()) {
            if (call.departed() >= from && call.departed() < to) offered++;
            boolean within =
                    call.answered() + SLACK_MICROS >= from && call.departed() - SLACK_MICROS < to;
            if (within && undecided(call)) undecided++;
        }
        String what = "window " + window + " has " + count + " of " + limit;
        if (offered < (long) limit * OFFERED_PER_LIMIT_MIN) {
            disturbances.add(what + ", and only " + offered + " calls were offered");
        } else if (undecided > 0) {
            disturbances.add(what + ", and " + undecided + " calls could not be decided");
        } else {
            violations.add(what + ", though nothing but the budget refused a call");
        }
    }

    private static boolean undecided(Offered call) {
        return UNDECIDED.contains(call.decision());
    }
}

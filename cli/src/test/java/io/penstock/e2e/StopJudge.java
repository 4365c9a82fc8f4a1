package io.penstock.e2e;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Whether a stop of everything held, judged by what arrived at the upstream and by what the callers
 * were told. All times are nanoseconds of the test's process, in which both are seen.
 */
final class StopJudge {
    /** Fewer calls after the confirmation prove nothing. */
    private static final int OFFERED_AFTER_MIN = 100;

    /** Of an arrival that a process which was frozen may cause. */
    static final String REFUSABLE = ", past its Not-After";

    private static final Set<String> ANSWERS = Set.of("admitted", "stopped");

    /**
     * A request at the upstream.
     *
     * @param refusable whether it came later than its {@code Penstock-Not-After}, so that an
     *     upstream that looks at it refuses it: all that can be said of a process that stood still
     *     between its check and its write
     */
    record Arrived(String call, long at, boolean refusable) {}

    /**
     * What happened around one stop.
     *
     * @param ordered before the command began
     * @param confirmed after it had said that the stop is confirmed
     */
    record History(
            long ordered, long confirmed, List<OpenLoop.Sent> sent, List<Arrived> arrivals) {}

    private StopJudge() {}

    /** What is wrong, a sentence each; empty where the stop held. */
    static List<String> violations(History history) {
        List<String> violations = new ArrayList<>();
        arrivals(history, violations);
        history.sent().forEach(call -> answer(call, history, violations));
        long after =
                history.sent().stream()
                        .filter(call -> call.departed() - history.confirmed() > 0)
                        .count();
        if (after < OFFERED_AFTER_MIN) {
            violations.add("only " + after + " calls were offered after the confirmation");
        }
        return violations;
    }

    private static void arrivals(History history, List<String> violations) {
        Map<String, String> decision =
                history.sent().stream()
                        .collect(
                                Collectors.toMap(
                                        OpenLoop.Sent::call,
                                        OpenLoop.Sent::decision,
                                        (one, two) -> one));
        Set<String> seen = new HashSet<>();
        for (Arrived arrival : history.arrivals()) {
            String call = "call " + arrival.call();
            long late = arrival.at() - history.confirmed();
            if (late > 0) {
                violations.add(
                        call
                                + " arrived "
                                + late / 1_000
                                + " us after the confirmed stop"
                                + (arrival.refusable() ? REFUSABLE : ""));
            }
            if (!seen.add(arrival.call())) violations.add(call + " arrived twice");
            // One that was under way may have been cut.
            if (!ANSWERS.contains(decision.getOrDefault(arrival.call(), "nothing"))) {
                violations.add(call + " arrived and was answered " + decision.get(arrival.call()));
            }
        }
        for (OpenLoop.Sent call : history.sent()) {
            if (call.decision().equals("admitted") && !seen.contains(call.call())) {
                violations.add("call " + call.call() + " was answered admitted, not arrived");
            }
        }
    }

    private static void answer(OpenLoop.Sent call, History history, List<String> violations) {
        if (!ANSWERS.contains(call.decision()) && !call.undecided()) {
            violations.add("call " + call.call() + " was answered " + call.decision());
        }
        boolean admitted = call.decision().equals("admitted");
        if (admitted && call.departed() - history.confirmed() > 0) {
            violations.add("call " + call.call() + " was admitted after the confirmed stop");
        }
        if (call.decision().equals("stopped") && call.answered() - history.ordered() < 0) {
            violations.add("call " + call.call() + " was stopped before anybody said so");
        }
    }
}

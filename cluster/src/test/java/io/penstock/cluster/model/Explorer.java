package io.penstock.cluster.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that a model can reach, breadth first, so that a counterexample is as short as
 * can be.
 *
 * @param <S> a state: equal states are the same state
 */
final class Explorer<S> {
    /** One thing that can happen. */
    record Step<S>(String name, S next) {}

    /**
     * What was found.
     *
     * @param trace the steps to a state that must not be, or null where there is none
     * @param complete every reachable state was visited
     */
    record Found(int states, boolean complete, @Nullable String trace) {}

    private final Function<S, List<Step<S>>> steps;
    private final Function<S, @Nullable String> wrong;

    /**
     * @param wrong what is wrong with a state, or null
     */
    Explorer(Function<S, List<Step<S>>> steps, Function<S, @Nullable String> wrong) {
        this.steps = steps;
        this.wrong = wrong;
    }

    private record Origin<S>(@Nullable S from, String by) {}

    Found everywhere(S start, int statesMax) {
        Map<S, Origin<S>> seen = new HashMap<>();
        Deque<S> open = new ArrayDeque<>();
        seen.put(start, new Origin<>(null, "start"));
        open.add(start);
        while (!open.isEmpty()) {
            S state = open.remove();
            String problem = wrong.apply(state);
            if (problem != null) {
                return new Found(seen.size(), false, trace(seen, state) + " => " + problem);
            }
            for (Step<S> step : steps.apply(state)) {
                if (seen.size() >= statesMax) {
                    return new Found(seen.size(), false, null);
                }
                if (seen.putIfAbsent(step.next(), new Origin<>(state, step.name())) == null) {
                    open.add(step.next());
                }
            }
        }
        return new Found(seen.size(), true, null);
    }

    private String trace(Map<S, Origin<S>> seen, S last) {
        List<String> names = new ArrayList<>();
        S at = last;
        while (at != null) {
            Origin<S> origin = seen.get(at);
            if (origin == null) {
                throw new IllegalStateException("a state without an origin");
            }
            names.addFirst(origin.by());
            at = origin.from();
        }
        return String.join(", ", names);
    }

    /**
     * Looks for a state from which the goal cannot be reached any more, whatever happens.
     *
     * @param from the states that must have a way to the goal
     * @return complete with no trace: from each of them there is one
     */
    Found withoutAWay(S start, Predicate<S> from, Predicate<S> goal, int statesMax) {
        Map<S, Origin<S>> seen = new LinkedHashMap<>();
        Map<S, List<S>> before = new HashMap<>();
        Deque<S> open = new ArrayDeque<>();
        Deque<S> good = new ArrayDeque<>();
        seen.put(start, new Origin<>(null, "start"));
        open.add(start);
        while (!open.isEmpty()) {
            S state = open.remove();
            if (goal.test(state)) {
                good.add(state);
            }
            for (Step<S> step : steps.apply(state)) {
                if (seen.size() >= statesMax) {
                    return new Found(seen.size(), false, null);
                }
                if (seen.putIfAbsent(step.next(), new Origin<>(state, step.name())) == null) {
                    open.add(step.next());
                }
                before.computeIfAbsent(step.next(), s -> new ArrayList<>(4)).add(state);
            }
        }
        Set<S> saved = new HashSet<>(good);
        while (!good.isEmpty()) {
            for (S state : before.getOrDefault(good.remove(), List.of())) {
                if (saved.add(state)) {
                    good.add(state);
                }
            }
        }
        for (S state : seen.keySet()) {
            if (from.test(state) && !saved.contains(state)) {
                return new Found(seen.size(), true, trace(seen, state) + " => no way on");
            }
        }
        return new Found(seen.size(), true, null);
    }

    /** Walks at random beyond what can be visited exhaustively; null where nothing is wrong. */
    @Nullable String walk(S start, Random random, int length) {
        S state = start;
        List<String> names = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            List<Step<S>> next = steps.apply(state);
            if (next.isEmpty()) {
                return null;
            }
            Step<S> step = next.get(random.nextInt(next.size()));
            names.add(step.name());
            state = step.next();
            String problem = wrong.apply(state);
            if (problem != null) {
                return String.join(", ", names) + " => " + problem;
            }
        }
        return null;
    }
}

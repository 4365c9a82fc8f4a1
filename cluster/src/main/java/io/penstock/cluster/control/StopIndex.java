package io.penstock.cluster.control;

import io.penstock.budget.Subject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the stop that stands against a call, in a time that does not depend on how many there are.
 *
 * <p>Where several match, one that cuts goes before one that drains, then the one with the lower
 * epoch.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * <p><b>Cost.</b> At most six look-ups, no allocation.
 */
final class StopIndex {
    private final Map<String, Judgement.Stopped> tenants = new HashMap<>();
    private final Map<String, Map<String, Judgement.Stopped>> agents = new HashMap<>();
    private final Map<String, Judgement.Stopped> servers = new HashMap<>();
    private final Map<String, Map<String, Judgement.Stopped>> tools = new HashMap<>();
    private final boolean empty;
    private Judgement.@Nullable Stopped everything;

    StopIndex(List<Stop> stops) {
        empty = stops.isEmpty();
        for (Stop stop : stops) {
            add(stop);
        }
    }

    private void add(Stop stop) {
        Judgement.Stopped stopped = new Judgement.Stopped(stop);
        switch (stop.scope()) {
            case Scope.All all -> everything = stronger(everything, stopped);
            case Scope.Unknown unknown -> everything = stronger(everything, stopped);
            case Scope.Tenant t -> tenants.merge(t.tenant(), stopped, StopIndex::stronger);
            case Scope.Server s -> servers.merge(s.server(), stopped, StopIndex::stronger);
            case Scope.Agent a ->
                    agents.computeIfAbsent(a.tenant(), tenant -> new HashMap<>())
                            .merge(a.agent(), stopped, StopIndex::stronger);
            case Scope.Tool t ->
                    tools.computeIfAbsent(t.server(), server -> new HashMap<>())
                            .merge(t.tool(), stopped, StopIndex::stronger);
        }
    }

    Judgement.@Nullable Stopped find(Subject subject) {
        if (empty) {
            return null;
        }
        Judgement.Stopped found = everything;
        found = strongest(found, tenants.get(subject.tenant()));
        found = strongest(found, servers.get(subject.server()));
        found = strongest(found, inner(agents, subject.tenant(), subject.agent()));
        return strongest(found, inner(tools, subject.server(), subject.tool()));
    }

    Judgement.@Nullable Stopped everything() {
        return everything;
    }

    private static Judgement.@Nullable Stopped inner(
            Map<String, Map<String, Judgement.Stopped>> outer, String first, String second) {
        Map<String, Judgement.Stopped> inner = outer.get(first);
        return inner == null ? null : inner.get(second);
    }

    private static Judgement.@Nullable Stopped strongest(
            Judgement.@Nullable Stopped one, Judgement.@Nullable Stopped other) {
        return other == null ? one : stronger(one, other);
    }

    private static Judgement.Stopped stronger(
            Judgement.@Nullable Stopped one, Judgement.Stopped other) {
        if (one == null) {
            return other;
        }
        if (one.stop().drain() != other.stop().drain()) {
            return one.stop().drain() ? other : one;
        }
        return one.stop().epoch() <= other.stop().epoch() ? one : other;
    }
}

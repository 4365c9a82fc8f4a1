package io.penstock.cluster.control;

import java.util.List;
import java.util.UUID;

/**
 * Stops that an operator gives together: any of the scopes matches, all stand under one epoch.
 *
 * @param targets 1 to {@value #TARGETS_MAX}
 * @param reason why, for the journal
 * @param actor who, as the way in knows it
 * @param drain open calls may finish; otherwise they are cut
 * @param showReason the reason may be told to the agents that are refused
 */
public record StopOrder(
        List<Target> targets, String reason, String actor, boolean drain, boolean showReason) {
    /** How many scopes one order may have. */
    public static final int TARGETS_MAX = 100;

    /** Longest reason in characters. */
    public static final int REASON_MAX = 1000;

    /** One stop of the order; its id makes repeating it harmless. */
    public record Target(UUID id, Scope scope) {
        public Target {
            if (scope instanceof Scope.Unknown) {
                throw new IllegalArgumentException("unknown scope " + scope.text());
            }
        }
    }

    public StopOrder {
        targets = List.copyOf(targets);
        if (targets.isEmpty() || targets.size() > TARGETS_MAX) {
            throw new IllegalArgumentException(
                    "a stop needs 1 to " + TARGETS_MAX + " scopes, got " + targets.size());
        }
        if (targets.stream().map(Target::id).distinct().count() < targets.size()) {
            throw new IllegalArgumentException("each scope of a stop needs an id of its own");
        }
        if (reason.isBlank() || reason.length() > REASON_MAX || reason.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "a stop needs a reason of 1 to " + REASON_MAX + " characters");
        }
        if (actor.isEmpty() || actor.length() > 256 || actor.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a stop's actor has 1 to 256 characters");
        }
    }
}

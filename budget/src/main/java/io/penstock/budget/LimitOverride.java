package io.penstock.budget;

import org.jspecify.annotations.Nullable;

/**
 * Another limit for some of a budget's counters.
 *
 * @param tenant whose counters; null = everybody's
 * @param agent of that tenant; null = each
 * @param server which server's; null = every one
 * @param tool of that server; null = each
 * @param limit units per window, as a budget's
 */
public record LimitOverride(
        @Nullable String tenant,
        @Nullable String agent,
        @Nullable String server,
        @Nullable String tool,
        long limit) {

    public LimitOverride {
        if (limit < 0 || limit > Budget.LIMIT_MAX) {
            throw new IllegalArgumentException("a limit must be 0 to 2^62, is " + limit);
        }
    }

    /** Whether it speaks of this call's counter. */
    boolean matches(Subject subject) {
        return (tenant == null || tenant.equals(subject.tenant()))
                && (agent == null || agent.equals(subject.agent()))
                && (server == null || server.equals(subject.server()))
                && (tool == null || tool.equals(subject.tool()));
    }
}

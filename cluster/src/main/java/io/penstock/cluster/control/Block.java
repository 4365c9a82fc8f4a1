package io.penstock.cluster.control;

/**
 * An expiring refusal of one agent.
 *
 * @param untilNanos end on this process's monotonic clock, counted from the time the answer that
 *     brought it was received, so that it can only end late
 */
public record Block(String tenant, String agent, String reason, long untilNanos) {}

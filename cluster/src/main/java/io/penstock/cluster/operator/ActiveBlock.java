package io.penstock.cluster.operator;

import java.time.Instant;

/**
 * A block that holds.
 *
 * @param givenAt by the database's clock, as {@code expiresAt}
 */
public record ActiveBlock(
        String tenant,
        String agent,
        String reason,
        String actor,
        Instant givenAt,
        Instant expiresAt) {}

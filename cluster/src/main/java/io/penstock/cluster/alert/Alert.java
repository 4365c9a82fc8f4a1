package io.penstock.cluster.alert;

import java.time.Instant;
import java.util.UUID;

/**
 * A counter passed a share of its limit.
 *
 * @param id the same however often it is delivered
 * @param scope the counter's scope as a JSON object
 * @param percent the share that was asked for
 * @param used units in the window when it was passed, held ones included
 * @param at when, by the database's clock
 */
public record Alert(
        UUID id,
        String budget,
        String unit,
        String scope,
        int percent,
        long used,
        long limit,
        Instant at) {}

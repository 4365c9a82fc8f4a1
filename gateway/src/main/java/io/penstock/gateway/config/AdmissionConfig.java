package io.penstock.gateway.config;

import java.time.Duration;

/**
 * How calls are admitted.
 *
 * @param deadline a call waits at most so long for the database's decision
 * @param queue calls that may wait at once on this replica; more are shed
 * @param lanes database connections that decide, at most
 */
public record AdmissionConfig(Duration deadline, int queue, int lanes) {}

package io.penstock.gateway.config;

import java.time.Duration;

/**
 * How long the journal is kept.
 *
 * @param retention days of it that are kept, whole days
 */
public record JournalConfig(Duration retention) {}

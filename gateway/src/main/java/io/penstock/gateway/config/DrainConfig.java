package io.penstock.gateway.config;

import java.time.Duration;

/**
 * How a replica leaves.
 *
 * @param delay not ready any more, but still serving, so that load balancers can notice
 * @param timeout for calls under way afterwards; then they are cut
 */
public record DrainConfig(Duration delay, Duration timeout) {}

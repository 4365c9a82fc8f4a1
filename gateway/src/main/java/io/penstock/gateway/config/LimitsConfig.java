package io.penstock.gateway.config;

import java.time.Duration;

/**
 * Bounds on what a client may send.
 *
 * @param bodyBytes of one request, at most
 * @param headerBytes of one request's head, at most
 * @param nesting of JSON, at most
 * @param headerTimeout from a connection's first byte, or its previous answer's first next byte, to
 *     the end of the head
 * @param bodyTimeout from the end of the head to the end of the body
 * @param idleTimeout of a kept connection without a request
 * @param connections open at once
 * @param streams HTTP/2 streams open at once on a connection
 */
public record LimitsConfig(
        int bodyBytes,
        int headerBytes,
        int nesting,
        Duration headerTimeout,
        Duration bodyTimeout,
        Duration idleTimeout,
        int connections,
        int streams) {

    /** What holds where the configuration says nothing. */
    public static final LimitsConfig DEFAULT =
            new LimitsConfig(
                    4 * 1024 * 1024,
                    32 * 1024,
                    64,
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofMinutes(1),
                    10_000,
                    128);
}

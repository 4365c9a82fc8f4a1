package io.penstock.gateway.http;

import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * One request as it came in, read whole.
 *
 * @param method as sent
 * @param target the request target, byte for byte as sent
 * @param body whole; length 0 where there is none
 * @param certificate the client's, where it presented one that was accepted
 * @param arrivedNanos when its first byte was seen, on the monotonic clock
 */
public record InboundRequest(
        String method,
        String target,
        HeaderBlock headers,
        byte[] body,
        SocketAddress peer,
        @Nullable X509Certificate certificate,
        long arrivedNanos) {}

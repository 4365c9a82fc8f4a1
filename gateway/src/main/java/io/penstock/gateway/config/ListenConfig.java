package io.penstock.gateway.config;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a listener listens.
 *
 * @param port 0 for any free one
 * @param share several replicas on one machine share the port (SO_REUSEPORT)
 */
public record ListenConfig(String host, int port, boolean share, @Nullable ServerTls tls) {

    /**
     * TLS of a listener.
     *
     * @param clientCa where given, clients may present certificates of this authority
     * @param clientRequired a client without one is turned away
     */
    public record ServerTls(
            Path certificate, Path key, @Nullable Path clientCa, boolean clientRequired) {}
}

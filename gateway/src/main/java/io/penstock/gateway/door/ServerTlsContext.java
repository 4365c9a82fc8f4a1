package io.penstock.gateway.door;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsClientAuth;
import io.helidon.common.tls.TlsConfig;
import io.penstock.gateway.config.ListenConfig.ServerTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** Certificate, key and client authority of a listener, read once. */
final class ServerTlsContext {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final String[] APPLICATION_PROTOCOLS = {"h2", "http/1.1"};

    private final Tls tls;

    private ServerTlsContext(Tls tls) {
        this.tls = tls;
    }

    /**
     * @throws IllegalArgumentException where a file cannot be used; says which and what to do
     */
    static ServerTlsContext load(ServerTls from) {
        checkKey(from.key());
        Keys keys = keys(from);
        TlsConfig.Builder builder =
                Tls.builder()
                        .privateKey(
                                keys.privateKey()
                                        .orElseThrow(() -> unusable(from.key(), "no key", null)))
                        .privateKeyCertChain(keys.certChain())
                        .enabledProtocols(PROTOCOLS)
                        .clientAuth(TlsClientAuth.NONE);
        Path authority = from.clientCa();
        if (authority != null) {
            builder.trust(authority(authority).certs())
                    .clientAuth(
                            from.clientRequired()
                                    ? TlsClientAuth.REQUIRED
                                    : TlsClientAuth.OPTIONAL);
        } else if (from.clientRequired()) {
            throw new IllegalArgumentException(
                    "client certificates are required, but no client-ca says whose");
        }
        return new ServerTlsContext(builder.build());
    }

    /** An engine for one connection. */
    SSLEngine engine() {
        SSLEngine engine = tls.newEngine();
        engine.setUseClientMode(false);
        SSLParameters parameters = engine.getSSLParameters();
        // Clients are told apart by their certificate's names, not by the address they come from.
        parameters.setEndpointIdentificationAlgorithm("");
        parameters.setApplicationProtocols(APPLICATION_PROTOCOLS);
        engine.setSSLParameters(parameters);
        return engine;
    }

    private static Keys keys(ServerTls from) {
        try {
            return Keys.builder()
                    .pem(
                            pem ->
                                    pem.key(Resource.create(from.key()))
                                            .certChain(Resource.create(from.certificate())))
                    .build();
        } catch (RuntimeException e) {
            throw unusable(from.certificate(), "or its key " + from.key(), e);
        }
    }

    private static Keys authority(Path file) {
        try {
            return Keys.builder().pem(pem -> pem.certificates(Resource.create(file))).build();
        } catch (RuntimeException e) {
            throw unusable(file, "not PEM certificates", e);
        }
    }

    private static void checkKey(Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw unusable(file, "cannot be read", e);
        }
        if (text.contains("BEGIN EC PRIVATE KEY")) {
            throw unusable(
                    file,
                    "an EC PRIVATE KEY; write it as PKCS#8: openssl pkcs8 -topk8 -nocrypt -in "
                            + file
                            + " -out new.key",
                    null);
        }
        if (text.contains("ENCRYPTED")) {
            throw unusable(file, "an encrypted key; store it without a passphrase", null);
        }
    }

    private static IllegalArgumentException unusable(
            Path file, String why, @Nullable Throwable cause) {
        return new IllegalArgumentException("cannot use " + file + ": " + why, cause);
    }
}

package io.penstock.gateway.upstream;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import io.helidon.common.tls.TlsConfig;
import io.penstock.gateway.config.ServerConfig.ClientTls;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Reads the PEM files that say whom to trust and who we are towards an upstream. */
final class ClientTlsContext {
    private ClientTlsContext() {}

    /**
     * @throws IllegalArgumentException naming the files where they cannot be used, never what is in
     *     them
     */
    static SSLContext of(@Nullable ClientTls files) {
        if (files == null) {
            return platform();
        }
        TlsConfig.Builder tls = Tls.builder();
        Path ca = files.ca();
        if (ca != null) {
            tls.trust(read(ca, () -> authorities(ca)).certs());
        }
        Path certificate = files.certificate();
        Path key = files.key();
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "a client certificate and its key are given together or not at all");
        }
        if (certificate != null && key != null) {
            Keys keys = read(key, () -> identity(certificate, key));
            tls.privateKey(
                            keys.privateKey()
                                    .orElseThrow(
                                            () ->
                                                    new IllegalArgumentException(
                                                            "no private key in " + key)))
                    .privateKeyCertChain(keys.certChain());
        }
        return tls.build().sslContext();
    }

    private static SSLContext platform() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    private static Keys authorities(Path ca) {
        return Keys.builder().pem(pem -> pem.certificates(Resource.create(ca))).build();
    }

    private static Keys identity(Path certificate, Path key) {
        return Keys.builder()
                .pem(pem -> pem.key(Resource.create(key)).certChain(Resource.create(certificate)))
                .build();
    }

    private static Keys read(Path file, java.util.function.Supplier<Keys> reading) {
        try {
            return reading.get();
        } catch (UnsupportedOperationException e) {
            throw new IllegalArgumentException(
                    file
                            + " holds a key form that is not read: use PKCS#8"
                            + " (BEGIN PRIVATE KEY), e.g. openssl pkcs8 -topk8 -nocrypt",
                    e);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(file + " cannot be used: " + e.getMessage(), e);
        }
    }
}

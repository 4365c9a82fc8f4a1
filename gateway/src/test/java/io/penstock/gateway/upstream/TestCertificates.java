package io.penstock.gateway.upstream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate with its key, made by the JDK's own keytool. */
final class TestCertificates {
    private static final char[] PASSWORD = "changeit".toCharArray();

    final Path certificate;
    final Path key;
    private final KeyStore store;

    private TestCertificates(Path certificate, Path key, KeyStore store) {
        this.certificate = certificate;
        this.key = key;
        this.store = store;
    }

    /**
     * @param san as keytool writes it, e.g. {@code ip:127.0.0.1}
     */
    static TestCertificates make(Path directory, String name, String san) throws Exception {
        Path file = directory.resolve(name + ".p12");
        run(
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + san,
                        "-validity",
                        "3650",
                        "-startdate",
                        "-2d",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-keystore",
                        file.toString()));
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return new TestCertificates(
                pem(
                        directory.resolve(name + ".crt"),
                        "CERTIFICATE",
                        store.getCertificate(name).getEncoded()),
                pem(
                        directory.resolve(name + ".key"),
                        "PRIVATE KEY",
                        store.getKey(name, PASSWORD).getEncoded()),
                store);
    }

    /** A server's context: this identity, and trust in itself alone. */
    SSLContext context(TestCertificates trusted) throws Exception {
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        KeyStore authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        String alias = trusted.store.aliases().nextElement();
        authorities.setCertificateEntry(alias, trusted.store.getCertificate(alias));
        trust.init(authorities);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static Path pem(Path file, String what, byte[] der) throws IOException {
        String body =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der);
        return Files.writeString(
                file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }

    private static void run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IllegalStateException(output);
        }
    }
}

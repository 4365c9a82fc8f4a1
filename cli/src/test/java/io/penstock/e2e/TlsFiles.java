package io.penstock.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key and a certificate for 127.0.0.1 as PEM files, made by the JDK's own keytool, and a client
 * that trusts it.
 */
record TlsFiles(Path certificate, Path key, SSLContext trusting) {
    private static final char[] PASSWORD = "only-for-tests".toCharArray();

    static TlsFiles in(Path folder) {
        try {
            Files.createDirectories(folder);
            Path store = folder.resolve("store.p12");
            Files.deleteIfExists(store);
            Program.run("keytool", Duration.ofSeconds(60), keytool(store));
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD);
            }
            Path certificate = folder.resolve("certificate.pem");
            Path key = folder.resolve("key.pem");
            pem(certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
            pem(key, "PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded());
            return new TlsFiles(certificate, key, trusting(keys));
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot make a certificate", e);
        }
    }

    private static List<String> keytool(Path store) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=penstock-test",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                new String(PASSWORD));
    }

    private static void pem(Path file, String what, byte[] bytes) throws IOException {
        String body =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes);
        Files.writeString(
                file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }

    private static SSLContext trusting(KeyStore keys) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}

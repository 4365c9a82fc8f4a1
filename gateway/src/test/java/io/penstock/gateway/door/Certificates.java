package io.penstock.gateway.door;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Self-signed identities, made by the JDK's keytool. */
public final class Certificates {
    private static final char[] PASSWORD = "changeit".toCharArray();

    public final Path certificate;
    public final Path key;
    private final KeyStore store;

    private Certificates(Path directory, String name, String algorithm) {
        try {
            Path file = directory.resolve(name + ".p12");
            keytool(file, name, algorithm);
            store = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(file)) {
                store.load(in, PASSWORD);
            }
            certificate =
                    pem(
                            directory.resolve(name + ".crt"),
                            "CERTIFICATE",
                            store.getCertificate(name).getEncoded());
            key =
                    pem(
                            directory.resolve(name + ".key"),
                            "PRIVATE KEY",
                            store.getKey(name, PASSWORD).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * @param algorithm {@code EC} or {@code RSA}
     */
    public static Certificates make(Path directory, String name, String algorithm) {
        return new Certificates(directory, name, algorithm);
    }

    /** A client's view: trusts this identity alone, and shows another one, or none. */
    public SSLContext clientContext(Certificates... shown) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            String alias = store.aliases().nextElement();
            trusted.setCertificateEntry(alias, store.getCertificate(alias));
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory keys =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            if (shown.length > 0) {
                keys.init(shown[0].store, PASSWORD);
            }
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    shown.length > 0 ? keys.getKeyManagers() : null,
                    trust.getTrustManagers(),
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void keytool(Path file, String name, String algorithm) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-genkeypair", "-alias", name, "-keyalg", algorithm));
        command.addAll(List.of("-dname", "CN=" + name, "-ext", "san=ip:127.0.0.1"));
        command.addAll(List.of("-validity", "3650", "-startdate", "-2d"));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", new String(PASSWORD)));
        command.addAll(List.of("-keystore", file.toString()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path pem(Path file, String what, byte[] der) throws IOException {
        String body =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(der);
        return Files.writeString(
                file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }
}

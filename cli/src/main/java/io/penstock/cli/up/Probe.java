package io.penstock.cli.up;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Asks a replica of this machine whether it admits calls. */
final class Probe {
    private static final int MILLIS_MAX = 2_000;
    private static final int BODY_BYTES_MAX = 4_096;

    private Probe() {}

    /** Whether it does, and what it says. */
    record Health(boolean admits, String says) {}

    static Health ask(String adminUrl) {
        try {
            URI uri = URI.create(adminUrl + "/health/admit");
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            if (connection instanceof HttpsURLConnection secure) {
                trustAnything(secure);
            }
            connection.setConnectTimeout(MILLIS_MAX);
            connection.setReadTimeout(MILLIS_MAX);
            int status = connection.getResponseCode();
            InputStream body =
                    status < 400 ? connection.getInputStream() : connection.getErrorStream();
            String text =
                    body == null
                            ? ""
                            : new String(body.readNBytes(BODY_BYTES_MAX), StandardCharsets.UTF_8);
            return new Health(status == 200, "status " + status + " " + text.strip());
        } catch (IOException e) {
            return new Health(false, String.valueOf(e.getMessage()));
        }
    }

    /**
     * The process that answers is one that we started on the loopback interface: nothing to prove.
     */
    private static void trustAnything(HttpsURLConnection connection) throws IOException {
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(null, new TrustManager[] {new Trusting()}, null);
            connection.setSSLSocketFactory(tls.getSocketFactory());
            connection.setHostnameVerifier((_, _) -> true);
        } catch (GeneralSecurityException e) {
            throw new IOException("no TLS", e);
        }
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

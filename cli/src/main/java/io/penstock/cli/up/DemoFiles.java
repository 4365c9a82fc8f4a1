package io.penstock.cli.up;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The demo's configuration and its agent's key.
 *
 * @param key in the clear; only its digest is written
 */
record DemoFiles(Path config, String key) {
    static final String SERVER = "demo";
    static final String TENANT = "demo";
    static final String AGENT = "tester";

    private static final String CONFIG =
            """
            # Written by penstock up. A start of one's own: copy this and change it.
            database:
              url: embedded
            drain: { delay: 0s, timeout: 5s }
            identity:
              keys-file: keys.yaml
            servers:
              - name: demo
                url: http://127.0.0.1:%d/mcp
            budgets:
              - name: demo-rate
                unit: calls
                limit: 100
                window: 10s
                per: [tenant, agent]
            """;

    static DemoFiles write(WorkFolder work, int demoPort) {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        String key = "pk_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        work.write(
                "keys.yaml",
                "- { id: demo, sha256: %s, tenant: %s, agent: %s }\n"
                        .formatted(sha256(key), TENANT, AGENT));
        return new DemoFiles(work.write("demo.yaml", CONFIG.formatted(demoPort)), key);
    }

    private static String sha256(String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "DemoFiles[" + config + "]";
    }
}

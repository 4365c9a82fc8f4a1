package io.penstock.gateway.mcp;

import io.penstock.gateway.identity.StrictUtf8;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Decodes header values that mirror a part of the body: plain ASCII, or {@code =?base64?...?=}
 * around the base64 of UTF-8.
 *
 * <p><b>Source.</b> MCP 2026-07-28, Streamable HTTP, "Value Encoding".
 */
final class Mirrored {
    private static final String BEGIN = "=?base64?";
    private static final String END = "?=";

    private Mirrored() {}

    /** What the value stands for, or null where it is not validly encoded. */
    static @Nullable String decode(String value) {
        if (value.length() < BEGIN.length() + END.length()
                || !value.startsWith(BEGIN)
                || !value.endsWith(END)) {
            return plain(value) ? value : null;
        }
        String base64 = value.substring(BEGIN.length(), value.length() - END.length());
        try {
            byte[] bytes = Base64.getDecoder().decode(base64);
            // One text has one encoding: others may be read differently, or not at all.
            boolean canonical = Base64.getEncoder().encodeToString(bytes).equals(base64);
            return canonical ? StrictUtf8.decode(bytes) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean plain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' && c != '\t') || c > 0x7e) {
                return false;
            }
        }
        return true;
    }
}

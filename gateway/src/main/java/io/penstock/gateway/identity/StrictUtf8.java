package io.penstock.gateway.identity;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Decodes UTF-8 that must be valid to its last byte. */
public final class StrictUtf8 {
    private StrictUtf8() {}

    /** The text, or null where the bytes are not UTF-8. */
    public static @Nullable String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The same for header text, which carries one byte in each character. */
    public static @Nullable String decodeHeader(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) >= 0x80) {
                return decode(value.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return value;
    }
}

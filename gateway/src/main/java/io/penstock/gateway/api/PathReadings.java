package io.penstock.gateway.api;

import io.penstock.gateway.identity.StrictUtf8;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a path in all the ways that servers are known to, and finds the one that would leave it.
 *
 * <p>Servers differ in how often they decode, whether they cut {@code ;parameters} off before or
 * after they resolve dots, whether a backslash is a slash, what they make of {@code //}, and
 * whether they map look-alikes of dots and slashes to ASCII. So each segment is decoded until
 * nothing is left to decode, and each stage on the way is looked at on its own. What stands for a
 * slash, a backslash or a control character once decoded is refused anywhere; so is what is not
 * UTF-8, where overlong forms hide.
 *
 * <p><b>Source.</b> Orange Tsai, "Breaking Parser Logic" (2018); Unicode UTS 39 for look-alikes.
 */
final class PathReadings {
    /** Nobody encodes more often than this by accident. */
    private static final int STAGES_MAX = 4;

    private PathReadings() {}

    /**
     * @param segments gets each segment's last reading
     * @return what is wrong, or null
     */
    static @Nullable String read(String path, List<String> segments) {
        if (path.isEmpty()) {
            return null;
        }
        int from = 1;
        while (true) {
            int slash = path.indexOf('/', from);
            boolean last = slash < 0;
            String segment = path.substring(from, last ? path.length() : slash);
            String fault = segment(segment, last, segments);
            if (fault != null || last) {
                return fault;
            }
            from = slash + 1;
        }
    }

    private static @Nullable String segment(String raw, boolean last, List<String> segments) {
        if (raw.isEmpty()) {
            return last ? null : "the path holds //";
        }
        String reading = raw;
        for (int stage = 0; stage <= STAGES_MAX; stage++) {
            String fault = fault(reading);
            if (fault != null) {
                return fault;
            }
            // As sent, each percent sign must begin an encoding; once decoded, one may be just
            // that.
            if (stage == 0 ? reading.indexOf('%') < 0 : !encoded(reading)) {
                segments.add(beforeParameters(reading));
                return null;
            }
            String next = decode(reading);
            if (next == null) {
                return "the path holds an encoding that is none, or not of UTF-8";
            }
            reading = next;
        }
        return "the path is encoded too many times";
    }

    /** Looks at one reading of one segment, which is not empty. */
    private static @Nullable String fault(String reading) {
        for (int i = 0; i < reading.length(); i++) {
            char c = reading.charAt(i);
            if (c == '/' || c == '\\' || c < ' ' || c == 0x7f) {
                return "the path holds an encoded slash, backslash or control character";
            }
        }
        String plain = reading;
        if (!ascii(reading)) {
            plain = Normalizer.normalize(reading, Normalizer.Form.NFKC);
            if (plain.indexOf('/') >= 0
                    || plain.indexOf('\\') >= 0
                    || plain.indexOf('%') != reading.indexOf('%')) {
                return "the path holds a look-alike of a slash, backslash or percent sign";
            }
        }
        return dots(beforeParameters(plain))
                ? "the path holds a dot segment, or one that is empty"
                : null;
    }

    /** Whether nothing but dots and white space is there: some readers trim either. */
    private static boolean dots(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) != '.' && !Character.isWhitespace(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static String beforeParameters(String segment) {
        int end = segment.length();
        for (char cut : new char[] {';', '?', '#'}) {
            int at = segment.indexOf(cut);
            if (at >= 0) {
                end = Math.min(end, at);
            }
        }
        return segment.substring(0, end);
    }

    private static boolean ascii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** Whether a reader that decodes once more would find something to decode. */
    private static boolean encoded(String text) {
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1)) {
            if (i + 2 < text.length()
                    && hex(text.charAt(i + 1)) >= 0
                    && hex(text.charAt(i + 2)) >= 0) {
                return true;
            }
        }
        return false;
    }

    /** Decodes once; null where a percent sign begins nothing, or the bytes are not UTF-8. */
    private static @Nullable String decode(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        int i = 0;
        while (i < text.length()) {
            int point = text.codePointAt(i);
            if (point != '%') {
                bytes.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
                i += Character.charCount(point);
                continue;
            }
            int high = i + 2 < text.length() ? hex(text.charAt(i + 1)) : -1;
            int low = i + 2 < text.length() ? hex(text.charAt(i + 2)) : -1;
            if (high < 0 || low < 0) {
                return null;
            }
            bytes.write(high << 4 | low);
            i += 3;
        }
        return StrictUtf8.decode(bytes.toByteArray());
    }

    private static int hex(char c) {
        return c < 0x80 ? Character.digit(c, 16) : -1;
    }
}

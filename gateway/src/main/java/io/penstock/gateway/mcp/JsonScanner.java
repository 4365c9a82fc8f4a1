package io.penstock.gateway.mcp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads JSON (RFC 8259) off its bytes in one pass, and nothing that any two readers could take
 * differently: no invalid UTF-8, no lone surrogate, no key twice, no NUL in a key, no number that a
 * double cannot hold. Makes no tree; a caller reads the values it wants and skips the others, which
 * are checked all the same.
 *
 * <p><b>Bounds.</b> Nesting by the constructor; numbers {@link #NUMBER_BYTES_MAX} bytes and an
 * exponent of {@link #EXPONENT_MAX}: longer ones cost a reader that keeps them exactly far more
 * than they cost whoever sends them.
 *
 * <p><b>Threads.</b> One.
 *
 * <p><b>Source.</b> UTF-8: Unicode Standard, table 3-7 (well-formed byte sequences). Eight bytes at
 * a time: "SIMD within a register", Mycroft's test for a zero byte.
 */
final class JsonScanner {
    static final int NUMBER_BYTES_MAX = 128;
    static final int EXPONENT_MAX = 308;

    private static final int SHORT_CHARS = 64;
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;

    private final byte[] text;
    private final int depthMax;
    private final KeyStack keys;
    private int at;
    private int tokenStart;
    private int tokenEnd;
    private boolean escaped;
    private boolean holdsNul;

    JsonScanner(byte[] text, int depthMax) {
        this.text = text;
        this.depthMax = depthMax;
        this.keys = new KeyStack(text);
    }

    /** Where the next byte is read. */
    int position() {
        return at;
    }

    /** The next byte that is not white space, not taken; -1 at the end. */
    int peek() {
        while (at < text.length) {
            byte next = text[at];
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                // Unsigned: the byte 0xff is no white space and not the end either.
                return next & 0xff;
            }
            at++;
        }
        return -1;
    }

    /** Takes the byte that {@link #peek} has shown. */
    void take() {
        at++;
    }

    void expect(char wanted) {
        if (peek() != wanted) {
            throw unexpected("'" + wanted + "'");
        }
        at++;
    }

    /** Begins an object; the result is for {@link #nextKey}. */
    int beginObject(int depth) {
        if (depth > depthMax) {
            throw tooDeep();
        }
        expect('{');
        return keys.open();
    }

    /**
     * Reads the next key and its colon: {@link #tokenIs} and {@link #tokenText} say what it is.
     *
     * @return false where the object has ended instead
     */
    boolean nextKey(int mark, boolean first) {
        int next = peek();
        if (next == '}') {
            at++;
            if (!keys.close(mark)) {
                throw MalformedMessage.notRpc(
                        "a key stands twice in the object that ends at byte " + at);
            }
            return false;
        }
        if (!first) {
            expect(',');
        }
        string();
        if (holdsNul) {
            throw MalformedMessage.notRpc("a key holds a NUL character");
        }
        addKey(mark);
        expect(':');
        return true;
    }

    private void addKey(int mark) {
        boolean added =
                escaped
                        ? keys.addDecoded(mark, tokenText().getBytes(StandardCharsets.UTF_8))
                        : keys.add(mark, tokenStart, tokenEnd);
        if (!added) {
            throw MalformedMessage.notRpc(
                    "the key \"" + shortened(tokenText()) + "\" stands twice in one object");
        }
    }

    /** Reads a string; its content as written is then the token. */
    void string() {
        if (peek() != '"') {
            throw unexpected("a string");
        }
        int i = at + 1;
        tokenStart = i;
        escaped = false;
        holdsNul = false;
        while (true) {
            while (i + Long.BYTES <= text.length && plain((long) LONGS.get(text, i))) {
                i += Long.BYTES;
            }
            if (i >= text.length) {
                throw MalformedMessage.notJson("a string does not end");
            }
            int next = text[i];
            if (next == '"') {
                tokenEnd = i;
                at = i + 1;
                return;
            }
            if (next == '\\') {
                escaped = true;
                i = escape(i);
            } else if (next < 0) {
                i = multiByte(i);
            } else if (next < ' ') {
                throw MalformedMessage.notJson("a control character in a string, at byte " + i);
            } else {
                i++;
            }
        }
    }

    /** Whether the eight bytes are all ASCII, none of them a control, a quote or a backslash. */
    private static boolean plain(long eight) {
        long quote = eight ^ (ONES * '"');
        long backslash = eight ^ (ONES * '\\');
        long special =
                eight
                        | ((eight - ONES * ' ') & ~eight)
                        | ((quote - ONES) & ~quote)
                        | ((backslash - ONES) & ~backslash);
        return (special & HIGH) == 0;
    }

    private int escape(int i) {
        int kind = i + 1 < text.length ? text[i + 1] : -1;
        return switch (kind) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> i + 2;
            case 'u' -> unicodeEscape(i);
            default -> throw MalformedMessage.notJson("an unknown escape at byte " + i);
        };
    }

    private int unicodeEscape(int i) {
        int unit = hex4(i + 2);
        if (unit == 0) {
            holdsNul = true;
        }
        if (!Character.isSurrogate((char) unit)) {
            return i + 6;
        }
        boolean paired =
                Character.isHighSurrogate((char) unit)
                        && i + 7 < text.length
                        && text[i + 6] == '\\'
                        && text[i + 7] == 'u'
                        && Character.isLowSurrogate((char) hex4(i + 8));
        if (!paired) {
            throw MalformedMessage.notJson("half a surrogate pair at byte " + i);
        }
        return i + 12;
    }

    private int hex4(int from) {
        if (from + 4 > text.length) {
            throw MalformedMessage.notJson("an escape does not end");
        }
        int unit = 0;
        for (int i = from; i < from + 4; i++) {
            // Character.digit would take other scripts' digits, but a byte holds none of them.
            int digit = text[i] < 0 ? -1 : Character.digit(text[i], 16);
            if (digit < 0) {
                throw MalformedMessage.notJson("an escape with a wrong digit at byte " + i);
            }
            unit = (unit << 4) | digit;
        }
        return unit;
    }

    private int multiByte(int i) {
        int lead = text[i] & 0xff;
        int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        int low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (lead < 0xc2 || lead > 0xf4 || i + length > text.length) {
            throw notUtf8(i);
        }
        int second = text[i + 1] & 0xff;
        if (second < low || second > high) {
            throw notUtf8(i);
        }
        for (int k = i + 2; k < i + length; k++) {
            if ((text[k] & 0xc0) != 0x80) {
                throw notUtf8(i);
            }
        }
        return i + length;
    }

    private static MalformedMessage notUtf8(int i) {
        return MalformedMessage.notJson("not UTF-8 at byte " + i);
    }

    /**
     * Reads a number; its text is then the token.
     *
     * @return whether it is written as an integer: no fraction, no exponent
     */
    boolean number() {
        peek();
        int start = at;
        int i = text[start] == '-' ? start + 1 : start;
        int digits = digits(i);
        if (digits == 0 || (digits > 1 && text[i] == '0')) {
            throw unexpected("a number");
        }
        i += digits;
        boolean integer = true;
        if (byteAt(i) == '.') {
            int fraction = digits(i + 1);
            if (fraction == 0) {
                throw unexpected("a number");
            }
            i += 1 + fraction;
            integer = false;
        }
        if (byteAt(i) == 'e' || byteAt(i) == 'E') {
            i = exponent(i + 1);
            integer = false;
        }
        if (i - start > NUMBER_BYTES_MAX) {
            throw MalformedMessage.notRpc(
                    "a number of more than " + NUMBER_BYTES_MAX + " bytes at byte " + start);
        }
        tokenStart = start;
        tokenEnd = i;
        at = i;
        return integer;
    }

    private int exponent(int from) {
        int i = byteAt(from) == '+' || byteAt(from) == '-' ? from + 1 : from;
        int digits = digits(i);
        if (digits == 0) {
            throw unexpected("a number");
        }
        int value = 0;
        for (int k = i; k < i + digits; k++) {
            value = Math.min(EXPONENT_MAX + 1, value * 10 + text[k] - '0');
        }
        if (value > EXPONENT_MAX) {
            throw MalformedMessage.notRpc(
                    "a number with an exponent over " + EXPONENT_MAX + " at byte " + from);
        }
        return i + digits;
    }

    private int digits(int from) {
        int i = from;
        while (i < text.length && text[i] >= '0' && text[i] <= '9') {
            i++;
        }
        return i - from;
    }

    private int byteAt(int i) {
        return i < text.length ? text[i] & 0xff : -1;
    }

    /** Reads any value and drops it. */
    void skip(int depth) {
        switch (peek()) {
            case '{' -> skipObject(depth);
            case '[' -> skipArray(depth);
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
            default -> throw unexpected("a value");
        }
    }

    private void skipObject(int depth) {
        int mark = beginObject(depth);
        boolean first = true;
        while (nextKey(mark, first)) {
            first = false;
            skip(depth + 1);
        }
    }

    private void skipArray(int depth) {
        boolean first = true;
        beginArray(depth);
        while (nextElement(first)) {
            first = false;
            skip(depth + 1);
        }
    }

    void beginArray(int depth) {
        if (depth > depthMax) {
            throw tooDeep();
        }
        expect('[');
    }

    /** Whether another element follows; takes what is between the two, or the array's end. */
    boolean nextElement(boolean first) {
        if (peek() == ']') {
            at++;
            return false;
        }
        if (!first) {
            expect(',');
        }
        return true;
    }

    private void literal(String word) {
        for (int i = 0; i < word.length(); i++) {
            if (byteAt(at + i) != word.charAt(i)) {
                throw unexpected("a value");
            }
        }
        at += word.length();
    }

    int tokenStart() {
        return tokenStart;
    }

    int tokenEnd() {
        return tokenEnd;
    }

    /** Whether the string read last means that text, however it is written. */
    boolean tokenIs(byte[] ascii) {
        if (escaped) {
            return Arrays.equals(tokenText().getBytes(StandardCharsets.UTF_8), ascii);
        }
        if (tokenEnd - tokenStart != ascii.length) {
            return false;
        }
        for (int i = 0; i < ascii.length; i++) {
            if (text[tokenStart + i] != ascii[i]) {
                return false;
            }
        }
        return true;
    }

    /** What the string read last means, escapes decoded. */
    String tokenText() {
        if (!escaped) {
            return new String(text, tokenStart, tokenEnd - tokenStart, StandardCharsets.UTF_8);
        }
        StringBuilder meaning = new StringBuilder(tokenEnd - tokenStart);
        int i = tokenStart;
        while (i < tokenEnd) {
            int plain = i;
            while (i < tokenEnd && text[i] != '\\') {
                i++;
            }
            meaning.append(new String(text, plain, i - plain, StandardCharsets.UTF_8));
            if (i < tokenEnd) {
                i = appendEscape(meaning, i);
            }
        }
        return meaning.toString();
    }

    private int appendEscape(StringBuilder meaning, int i) {
        switch (text[i + 1]) {
            case 'b' -> meaning.append('\b');
            case 'f' -> meaning.append('\f');
            case 'n' -> meaning.append('\n');
            case 'r' -> meaning.append('\r');
            case 't' -> meaning.append('\t');
            case 'u' -> {
                meaning.append((char) hex4(i + 2));
                return i + 6;
            }
            default -> meaning.append((char) text[i + 1]);
        }
        return i + 2;
    }

    private MalformedMessage unexpected(String wanted) {
        return MalformedMessage.notJson(
                at >= text.length
                        ? "the text ends where " + wanted + " is expected"
                        : wanted + " is expected at byte " + at);
    }

    private MalformedMessage tooDeep() {
        return MalformedMessage.notRpc("nested deeper than " + depthMax);
    }

    /** Text that a client sent, short enough to be sent back. */
    static String shortened(String text) {
        if (text.length() <= SHORT_CHARS) {
            return text;
        }
        boolean splits = Character.isHighSurrogate(text.charAt(SHORT_CHARS - 1));
        return text.substring(0, splits ? SHORT_CHARS - 1 : SHORT_CHARS) + "...";
    }
}

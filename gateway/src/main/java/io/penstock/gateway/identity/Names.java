package io.penstock.gateway.identity;

/**
 * Which names there can be.
 *
 * <p>Tenants and servers are named by whoever operates them: {@code [A-Za-z0-9._-]{1,128}}. Agents
 * and tools are named by identity providers and servers as they like: any printable text up to 256
 * bytes of UTF-8, without white space around it, because some readers trim and others do not.
 */
public final class Names {
    private static final int PLAIN_MAX = 128;
    private static final int PRINTABLE_BYTES_MAX = 256;

    private Names() {}

    /** Whether a tenant or server can have that name. */
    public static boolean plain(String name) {
        if (name.isEmpty() || name.length() > PLAIN_MAX) {
            return false;
        }
        for (int i = 0; i < name.length(); i++) {
            if (!plain(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean plain(char c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '.'
                || c == '_'
                || c == '-';
    }

    /** Whether an agent or tool can have that name. */
    public static boolean printable(String name) {
        int bytes = 0;
        int i = 0;
        while (i < name.length()) {
            int point = name.codePointAt(i);
            if (!printable(point)) {
                return false;
            }
            bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            i += Character.charCount(point);
        }
        return bytes > 0
                && bytes <= PRINTABLE_BYTES_MAX
                && !blank(name.codePointAt(0))
                && !blank(name.codePointBefore(name.length()));
    }

    private static boolean printable(int point) {
        if (point < 0x7f) {
            return point >= ' ';
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }

    private static boolean blank(int point) {
        return Character.isWhitespace(point) || Character.isSpaceChar(point);
    }
}

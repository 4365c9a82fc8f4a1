package io.penstock.gateway.logging;

/** Keeps a value inside its quotes and its line, by JSON's rules. */
final class Escapes {
    private static final String HEX = "0123456789abcdef";

    private Escapes() {}

    /**
     * Control characters, the separators that some readers take for line ends, and marks that turn
     * the direction of a terminal's text.
     */
    static boolean unprintable(char c) {
        return c < ' '
                || (c >= 0x7F && c <= 0x9F)
                || (c >= 0x200E && c <= 0x200F)
                || (c >= 0x2028 && c <= 0x202E)
                || (c >= 0x2066 && c <= 0x2069)
                || Character.isSurrogate(c);
    }

    static void append(StringBuilder line, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> {
                    if (pair(value, i)) {
                        line.append(c).append(value.charAt(++i));
                    } else if (unprintable(c)) {
                        line.append("\\u")
                                .append(HEX.charAt(c >> 12))
                                .append(HEX.charAt(c >> 8 & 15))
                                .append(HEX.charAt(c >> 4 & 15))
                                .append(HEX.charAt(c & 15));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
    }

    private static boolean pair(String value, int at) {
        return at + 1 < value.length()
                && Character.isSurrogatePair(value.charAt(at), value.charAt(at + 1));
    }
}

package io.penstock.gateway.door;

/** Which bytes HTTP allows where (RFC 9110 section 5.6.2, RFC 9112). */
final class Octets {
    private static final boolean[] TOKEN = new boolean[256];
    private static final boolean[] HOST = new boolean[256];

    static {
        mark(TOKEN, "!#$%&'*+-.^_`|~");
        mark(HOST, ".-_~:[]%!$&'()*+;=");
        for (boolean[] table : new boolean[][] {TOKEN, HOST}) {
            for (int c = 0; c < 26; c++) {
                table['a' + c] = true;
                table['A' + c] = true;
            }
            for (int c = '0'; c <= '9'; c++) {
                table[c] = true;
            }
        }
    }

    private Octets() {}

    /** A character of a method or a header's name. */
    static boolean token(int octet) {
        return octet >= 0 && octet < 256 && TOKEN[octet];
    }

    /** A character of a header's value: visible ASCII, space, tab. */
    static boolean value(int octet) {
        return octet >= ' ' && octet < 127 || octet == '\t';
    }

    /** A character of a request target; what must be escaped in one is not. */
    static boolean target(int octet) {
        return octet > ' ' && octet < 127 && octet != '#';
    }

    /** Whether the text can be a {@code Host}: no user part, no path, no list. */
    static boolean host(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c > 255 || !HOST[c]) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    private static void mark(boolean[] table, String characters) {
        for (int i = 0; i < characters.length(); i++) {
            table[characters.charAt(i)] = true;
        }
    }
}

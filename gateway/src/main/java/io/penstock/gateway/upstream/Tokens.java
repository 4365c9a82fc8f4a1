package io.penstock.gateway.upstream;

/** Which bytes may stand where in an HTTP/1.1 head (RFC 9110, 5.6.2; RFC 9112, 5). */
final class Tokens {
    private static final boolean[] TOKEN = new boolean[256];

    static {
        for (char c = '0'; c <= '9'; c++) {
            TOKEN[c] = true;
        }
        for (char c = 'a'; c <= 'z'; c++) {
            TOKEN[c] = true;
            TOKEN[c - 32] = true;
        }
        for (char c : "!#$%&'*+-.^_`|~".toCharArray()) {
            TOKEN[c] = true;
        }
    }

    private Tokens() {}

    /** Whether the character may stand in a method or a header's name. */
    static boolean token(int character) {
        return character >= 0 && character < 256 && TOKEN[character];
    }

    /** Whether the text is a method or a header's name. */
    static boolean token(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!token(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether the character may stand in a header's value: no control character but the tab. */
    static boolean value(int character) {
        return character == '\t' || (character >= ' ' && character <= 0xFF && character != 0x7F);
    }

    /** The value of a hexadecimal digit, or -1. */
    static int hex(int character) {
        if (character >= '0' && character <= '9') {
            return character - '0';
        }
        int lower = character | 0x20;
        return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    }
}

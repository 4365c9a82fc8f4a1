package io.penstock.gateway.door;

/**
 * Headers of an answer that are the door's own: connection, framing and date. Of an answer without
 * a body that has a length all the same, see {@link io.penstock.gateway.http.Reply}.
 */
final class ResponseNames {
    private ResponseNames() {}

    /** Whether only the door may send it; a caller's line of that name is left out. */
    static boolean doors(String name) {
        return switch (name.length()) {
            case 2 -> name.equalsIgnoreCase("TE");
            case 4 -> name.equalsIgnoreCase("Date");
            case 7 -> name.equalsIgnoreCase("Upgrade") || name.equalsIgnoreCase("Trailer");
            case 10 -> name.equalsIgnoreCase("Connection") || name.equalsIgnoreCase("Keep-Alive");
            case 14 -> name.equalsIgnoreCase("Content-Length");
            case 16 -> name.equalsIgnoreCase("Proxy-Connection");
            case 17 -> name.equalsIgnoreCase("Transfer-Encoding");
            default -> false;
        };
    }
}

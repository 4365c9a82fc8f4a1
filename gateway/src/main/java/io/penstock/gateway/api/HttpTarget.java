package io.penstock.gateway.api;

import java.util.ArrayList;
import java.util.List;

/**
 * A request target under {@code /http/{server}}, taken apart, and known not to leave the server's
 * base path in any reading that an upstream may have of it.
 *
 * @param server the name as sent; no reading of it but the plain one is tried
 * @param path what follows the server's name, as sent: empty, or begins with a slash
 * @param query as sent, with its question mark; empty where there is none
 * @param segments of the path, each read as far as it can be: decoded until nothing is left to
 *     decode, parameters cut off; for naming the tool
 */
record HttpTarget(String server, String path, String query, List<String> segments) {
    static final String PREFIX = "/http/";

    HttpTarget {
        segments = List.copyOf(segments);
    }

    /** What became of a target. */
    sealed interface Parsed {}

    /** It stays below the base path. */
    record Inside(HttpTarget target) implements Parsed {}

    /** It does not, or some reader could take it so. */
    record Outside(String reason) implements Parsed {}

    /**
     * @param target begins with {@link #PREFIX}
     */
    static Parsed parse(String target) {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7f || c == '\\' || c == '#') {
                return new Outside("the target holds a character that has no place in one");
            }
        }
        int question = target.indexOf('?');
        String whole = question < 0 ? target : target.substring(0, question);
        String query = question < 0 ? "" : target.substring(question);
        int slash = whole.indexOf('/', PREFIX.length());
        String server = whole.substring(PREFIX.length(), slash < 0 ? whole.length() : slash);
        String path = slash < 0 ? "" : whole.substring(slash);
        List<String> segments = new ArrayList<>();
        String fault = PathReadings.read(path, segments);
        return fault == null
                ? new Inside(new HttpTarget(server, path, query, segments))
                : new Outside(fault);
    }
}

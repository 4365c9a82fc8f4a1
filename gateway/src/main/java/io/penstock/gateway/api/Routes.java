package io.penstock.gateway.api;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names the tool of a plain HTTP request: {@code METHOD /path-template}, or {@code METHOD /*}.
 *
 * <p>A template segment in braces stands for one segment. Paths are compared as generously as
 * servers do, decoded, without parameters, without regard to case or a slash at the end: to name
 * one resource as another's tool is harmless, but a spelling that the server understands and the
 * gateway does not would be a way around a stop. Of several templates the one with fewer braces
 * wins, then the one that was configured first. A HEAD without a route of its own is named as the
 * GET that servers run for it.
 *
 * <p><b>Threads.</b> Immutable.
 */
final class Routes {
    private record Route(String method, List<String> segments, String tool) {
        long variables() {
            return segments.stream().filter(Routes::variable).count();
        }
    }

    private final List<Route> routes = new ArrayList<>();

    /**
     * @param templates {@code METHOD /path/{variable}}
     * @throws IllegalArgumentException if one is not of that form
     */
    Routes(List<String> templates) {
        for (String template : templates) {
            routes.add(route(template));
        }
        routes.sort(Comparator.comparingLong(Route::variables));
    }

    private static Route route(String template) {
        int space = template.indexOf(' ');
        if (space <= 0 || !template.startsWith("/", space + 1)) {
            throw new IllegalArgumentException("a route is METHOD /path-template, not " + template);
        }
        List<String> segments = new ArrayList<>();
        for (String segment : template.substring(space + 2).split("/")) {
            if (!segment.isEmpty()) {
                segments.add(variable(segment) ? segment : folded(segment));
            }
        }
        return new Route(template.substring(0, space), List.copyOf(segments), template);
    }

    /** The tool that a request means. */
    String tool(String method, HttpTarget target) {
        if (!routes.isEmpty()) {
            List<String> segments = new ArrayList<>(target.segments().size());
            for (String segment : target.segments()) {
                segments.add(folded(segment));
            }
            String tool = matched(method, segments);
            if (tool == null && method.equals("HEAD")) {
                tool = matched("GET", segments);
            }
            if (tool != null) {
                return tool;
            }
        }
        return method + " /*";
    }

    private @Nullable String matched(String method, List<String> segments) {
        for (Route route : routes) {
            if (route.method().equals(method) && matches(route.segments(), segments)) {
                return route.tool();
            }
        }
        return null;
    }

    private static boolean matches(List<String> template, List<String> segments) {
        if (template.size() != segments.size()) {
            return false;
        }
        for (int i = 0; i < template.size(); i++) {
            if (!variable(template.get(i)) && !template.get(i).equals(segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean variable(String segment) {
        return segment.startsWith("{") && segment.endsWith("}");
    }

    /**
     * As a lenient server may read it: without regard to case, white space around it, last dots.
     */
    private static String folded(String segment) {
        int end = segment.length();
        while (end > 0 && (segment.charAt(end - 1) == '.' || blank(segment.charAt(end - 1)))) {
            end--;
        }
        int from = 0;
        while (from < end && blank(segment.charAt(from))) {
            from++;
        }
        return segment.substring(from, end).toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    private static boolean blank(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }
}

package io.penstock.gateway.api;

import io.penstock.gateway.http.HeaderBlock;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The browser origins that may call. A page that reaches a local gateway through a name of its own
 * (DNS rebinding) is told apart by its {@code Origin}; programs that are no browsers send none.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class Origins {
    private final Set<String> allowed = new HashSet<>();

    /**
     * @param allowed {@code https://host[:port]}, or {@code *} for any
     */
    public Origins(List<String> allowed) {
        for (String origin : allowed) {
            this.allowed.add(origin.toLowerCase(Locale.ROOT));
        }
    }

    /** Whether the request comes from no browser, or from an origin that may call. */
    boolean admit(HeaderBlock headers) {
        String origin = headers.first("Origin");
        return origin == null
                || (headers.count("Origin") == 1
                        && (allowed.contains("*")
                                || allowed.contains(origin.toLowerCase(Locale.ROOT))));
    }
}

package io.penstock.gateway.upstream;

import java.net.URI;
import java.util.Map;

/** Request heads for tests that look at something else. */
final class Heads {
    static final RequestHead PLAIN =
            new RequestHead(URI.create("http://tools.example:3000/mcp"), Map.of());

    private Heads() {}
}

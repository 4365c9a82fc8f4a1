package io.penstock.gateway.mcp;

import org.jspecify.annotations.Nullable;

/**
 * One JSON-RPC message, as far as it decides anything.
 *
 * @param id as written, quotes included, so that it can be echoed byte for byte; null on a
 *     notification and on an error response that names no request
 * @param method empty on a response
 * @param name {@code params.name}, where it is a string
 * @param uri {@code params.uri}, where it is a string
 * @param version {@code params._meta["io.modelcontextprotocol/protocolVersion"]}
 * @param start first byte of the message in the body
 * @param end after its last byte
 */
record Message(
        Kind kind,
        byte @Nullable [] id,
        String method,
        @Nullable String name,
        @Nullable String uri,
        @Nullable String version,
        int start,
        int end) {

    /** What a message is. */
    enum Kind {
        REQUEST,
        NOTIFICATION,
        RESPONSE
    }
}

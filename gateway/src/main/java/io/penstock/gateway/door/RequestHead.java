package io.penstock.gateway.door;

import io.penstock.gateway.http.HeaderBlock;

/**
 * The head of an HTTP/1.1 request, checked.
 *
 * @param headers without hop-by-hop ones and framing
 * @param contentLength bytes of the body; 0 where there is none; means nothing when chunked
 * @param close the client wants the connection closed after the answer
 * @param expectContinue the client waits for an interim answer before it sends the body
 */
record RequestHead(
        String method,
        String target,
        HeaderBlock headers,
        long contentLength,
        boolean chunked,
        boolean close,
        boolean expectContinue) {}

package io.penstock.gateway.upstream;

import io.penstock.gateway.http.HeaderBlock;

/**
 * The head of a final answer, and how its body is framed.
 *
 * @param headers without hop-by-hop lines and framing, as {@link Exchange#headers} says
 * @param length of the body in bytes; {@link #CHUNKED}, or {@link #TO_THE_END} of the connection
 * @param persistent whether the connection can serve another exchange afterwards
 * @param idleSeconds how long the peer says it keeps an idle connection, or -1
 */
record AnswerHead(
        int status, HeaderBlock headers, long length, boolean persistent, int idleSeconds) {
    static final long CHUNKED = -1;
    static final long TO_THE_END = -2;
}

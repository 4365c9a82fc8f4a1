package io.penstock.gateway.api;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;

/** Adds to every answer what lets a page of an allowed origin read it. */
final class BrowserReply implements Reply {
    private static final String EXPOSED =
            "Mcp-Session-Id, Penstock-Call, Penstock-Decision, Penstock-Replica, RateLimit,"
                    + " RateLimit-Policy, Retry-After, WWW-Authenticate";

    private final Reply reply;
    private final String origin;

    BrowserReply(Reply reply, String origin) {
        this.reply = reply;
        this.origin = origin;
    }

    private HeaderBlock opened(HeaderBlock headers) {
        return headers.set("Access-Control-Allow-Origin", origin)
                .set("Access-Control-Expose-Headers", EXPOSED)
                .add("Vary", "Origin");
    }

    @Override
    public void send(int status, HeaderBlock headers, byte[] body, int offset, int length) {
        reply.send(status, opened(headers), body, offset, length);
    }

    @Override
    public void begin(int status, HeaderBlock headers) {
        reply.begin(status, opened(headers));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        reply.write(bytes, offset, length);
    }

    @Override
    public void end() {
        reply.end();
    }

    @Override
    public void abort() {
        reply.abort();
    }

    @Override
    public boolean begun() {
        return reply.begun();
    }

    @Override
    public void whenGone(Runnable action) {
        reply.whenGone(action);
    }

    @Override
    public void wake() {
        reply.wake();
    }
}

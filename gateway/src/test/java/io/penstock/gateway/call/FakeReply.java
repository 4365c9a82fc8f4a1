package io.penstock.gateway.call;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Remembers what a client would have got. */
final class FakeReply implements Reply {
    int status;
    @Nullable HeaderBlock headers;
    final ByteArrayOutputStream body = new ByteArrayOutputStream();
    boolean ended;
    boolean aborted;
    boolean gone;
    @Nullable Runnable whenGone;

    @Override
    public void send(int status, HeaderBlock headers, byte[] bytes, int offset, int length) {
        begin(status, headers);
        write(bytes, offset, length);
        end();
    }

    @Override
    public void begin(int status, HeaderBlock headers) {
        if (begun()) {
            throw new IllegalStateException("answered twice");
        }
        check();
        this.status = status;
        this.headers = headers;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        check();
        body.write(bytes, offset, length);
    }

    @Override
    public void end() {
        check();
        ended = true;
    }

    @Override
    public void abort() {
        aborted = true;
    }

    @Override
    public boolean begun() {
        return headers != null;
    }

    @Override
    public void whenGone(Runnable action) {
        whenGone = action;
    }

    @Override
    public void wake() {}

    String text() {
        return body.toString(StandardCharsets.UTF_8);
    }

    @Nullable String header(String name) {
        return headers == null ? null : headers.first(name);
    }

    private void check() {
        if (gone) {
            throw new ClientGone("gone", new IllegalStateException("closed"));
        }
    }
}

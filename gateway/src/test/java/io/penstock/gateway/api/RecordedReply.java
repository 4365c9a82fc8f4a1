package io.penstock.gateway.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what was answered. Fails on what no door could send. */
public final class RecordedReply implements Reply {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final List<Runnable> whenGone = new ArrayList<>();
    private int status;
    private @Nullable HeaderBlock headers;
    private boolean ended;
    private boolean aborted;
    private boolean gone;

    @Override
    public void send(int newStatus, HeaderBlock block, byte[] bytes, int offset, int length) {
        begin(newStatus, block);
        body.write(bytes, offset, length);
        ended = true;
    }

    @Override
    public void begin(int newStatus, HeaderBlock block) {
        client();
        if (headers != null) {
            throw new IllegalStateException("answered twice");
        }
        status = newStatus;
        headers = block;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
        client();
        if (headers == null || ended || length == 0) {
            throw new IllegalStateException("written out of turn, or nothing at all");
        }
        body.write(bytes, offset, length);
    }

    @Override
    public void end() {
        client();
        if (headers == null || ended) {
            throw new IllegalStateException("ended out of turn");
        }
        ended = true;
    }

    @Override
    public void abort() {
        aborted = true;
        ended = true;
    }

    @Override
    public boolean begun() {
        return headers != null;
    }

    @Override
    public void whenGone(Runnable action) {
        whenGone.add(action);
    }

    @Override
    public void wake() {}

    /** The client leaves. */
    public void leave() {
        gone = true;
        whenGone.forEach(Runnable::run);
    }

    private void client() {
        if (gone) {
            throw new ClientGone("left", new IllegalStateException("left"));
        }
    }

    public int status() {
        return status;
    }

    public HeaderBlock headers() {
        if (headers == null) {
            throw new AssertionError("nothing was answered");
        }
        return headers;
    }

    public String body() {
        return body.toString(UTF_8);
    }

    public boolean ended() {
        return ended;
    }

    public boolean aborted() {
        return aborted;
    }
}

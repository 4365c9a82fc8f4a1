package io.penstock.gateway.call;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.upstream.Exchange;
import io.penstock.gateway.upstream.Upstream;
import io.penstock.gateway.upstream.UpstreamException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** An upstream whose every step a test decides, and that remembers what reached it. */
final class FakeUpstream implements Upstream, Upstream.Permission.Granted {
    final List<HeaderBlock> received = new ArrayList<>();
    final List<String> settled = new ArrayList<>();
    final Deque<Object> answer = new ArrayDeque<>();
    @Nullable String refuses;
    boolean unreachable;
    int firstWritesThatFailUnsent;
    int firstWritesThatFailSent;
    int opened;
    int restPieces;
    int restSent;
    Runnable duringFirst = () -> {};
    Runnable afterRestPiece = () -> {};
    long contentLength = -1;
    int status = 200;
    String contentType = "text/event-stream";

    @Override
    public Permission permit() {
        return refuses == null ? this : new Permission.Refused(refuses);
    }

    @Override
    public Exchange open() {
        opened++;
        if (unreachable) {
            throw new UpstreamException(UpstreamException.Kind.UNREACHABLE, "refused");
        }
        return new FakeExchange();
    }

    @Override
    public void answered(int status, long elapsedNanos) {
        settled.add("answered " + status);
    }

    @Override
    public void failed(Throwable cause, long elapsedNanos) {
        settled.add("failed");
    }

    @Override
    public void unused() {
        settled.add("unused");
    }

    @Override
    public void close() {}

    /**
     * One exchange; body pieces are byte arrays, a Runnable among them runs before the next piece.
     */
    private final class FakeExchange implements Exchange {
        private HeaderBlock head = new HeaderBlock();
        private boolean sent;
        private volatile boolean cut;

        @Override
        public void prepare(String method, String target, HeaderBlock headers, byte[] body) {
            head = headers;
        }

        @Override
        public void sendFirst() {
            duringFirst.run();
            if (cut) {
                throw new UpstreamException(UpstreamException.Kind.CUT, "cut");
            }
            if (firstWritesThatFailUnsent-- > 0) {
                throw new UpstreamException(UpstreamException.Kind.BROKE_OFF, "closed");
            }
            sent = true;
            if (firstWritesThatFailSent-- > 0) {
                throw new UpstreamException(UpstreamException.Kind.BROKE_OFF, "closed");
            }
            received.add(head);
        }

        @Override
        public void sendRest(BooleanSupplier mayGoOn) {
            while (restPieces-- > 0) {
                if (!mayGoOn.getAsBoolean()) {
                    return;
                }
                restSent++;
                afterRestPiece.run();
            }
        }

        @Override
        public int readHead() {
            if (answer.peek() instanceof UpstreamException) {
                throw (UpstreamException) answer.poll();
            }
            return status;
        }

        @Override
        public HeaderBlock headers() {
            return new HeaderBlock().add("Content-Type", contentType);
        }

        @Override
        public long contentLength() {
            return contentLength;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            while (true) {
                if (cut) {
                    throw new UpstreamException(UpstreamException.Kind.CUT, "cut");
                }
                switch (answer.poll()) {
                    case null -> {
                        return -1;
                    }
                    case Runnable step -> step.run();
                    case byte[] piece -> {
                        System.arraycopy(piece, 0, into, offset, piece.length);
                        return piece.length;
                    }
                    case UpstreamException broken -> throw broken;
                    default -> throw new IllegalStateException("not a step");
                }
            }
        }

        @Override
        public void finish() {}

        @Override
        public void cut() {
            cut = true;
        }

        @Override
        public boolean sent() {
            return sent;
        }
    }
}

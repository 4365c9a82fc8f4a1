package io.penstock.gateway.mcp;

import io.penstock.gateway.http.HeaderBlock;
import io.penstock.gateway.http.Reply;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Merges the answers to the messages of a batch, one after the other, into one stream of events.
 *
 * <p>An answer in JSON becomes one event; an answer that is a stream of events goes through as it
 * is. Nothing is held back. An upstream's error status, where nothing has been sent yet, is the
 * answer to the whole batch (a dead session stays a 404); later it becomes an error in the stream.
 *
 * <p><b>Threads.</b> The request's own; {@link #gone} by the door's.
 */
final class BatchReply {
    /** What stands in {@code Penstock-Decision}: each message has its own decision. */
    static final String DECISION = "batch";

    private static final byte[] EVENT = ascii("event: message\ndata: ");
    private static final byte[] NEXT_LINE = ascii("\ndata: ");
    private static final byte[] END_EVENT = ascii("\n\n");
    private static final byte[] NOTHING = {};

    private final Reply client;
    private final HeaderBlock headers;
    private volatile boolean over;
    private volatile @Nullable Runnable whenGone;

    /**
     * @param headers of the merged answer
     */
    BatchReply(Reply client, HeaderBlock headers) {
        this.client = client;
        this.headers = headers;
        client.whenGone(this::gone);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void gone() {
        over = true;
        Runnable action = whenGone;
        if (action != null) {
            action.run();
        }
    }

    /** Whether the whole batch has been answered, or nobody is left to answer. */
    boolean over() {
        return over;
    }

    /** Where the next message is answered. */
    Reply element(Message message) {
        return new Element(message);
    }

    /** Ends the merged answer; a batch that nothing had to be said to is accepted. */
    void finish() {
        if (over) {
            return;
        }
        over = true;
        if (client.begun()) {
            client.end();
        } else {
            client.send(202, headers, NOTHING, 0, 0);
        }
    }

    private void write(byte[] bytes, int offset, int length) {
        if (length == 0) {
            return;
        }
        if (!client.begun()) {
            client.begin(
                    200,
                    headers.set("Content-Type", "text/event-stream")
                            .set("Cache-Control", "no-store")
                            .set("X-Accel-Buffering", "no"));
        }
        client.write(bytes, offset, length);
    }

    private void write(byte[] bytes) {
        write(bytes, 0, bytes.length);
    }

    /** How one message's answer becomes part of the whole. */
    private enum Form {
        /** One JSON text, framed as an event. */
        JSON,
        /** Events, as they are. */
        EVENTS,
        /** Of no interest: the message asked for no answer. */
        DROPPED,
        /** Not an answer; something is said in its place. */
        REPLACED,
        /** The answer to the whole batch. */
        WHOLE
    }

    private final class Element implements Reply {
        private final Message message;
        private @Nullable Form form;
        private int status;

        Element(Message message) {
            this.message = message;
        }

        private Form form(int status, HeaderBlock answer) {
            boolean good = status >= 200 && status < 300;
            if (!good && !client.begun()) {
                return Form.WHOLE;
            }
            if (message.kind() != Message.Kind.REQUEST) {
                return Form.DROPPED;
            }
            if (status == 200 && McpDialect.events(answer)) {
                return Form.EVENTS;
            }
            String type = answer.first("Content-Type");
            return status == 200 && type != null && type.startsWith("application/json")
                    ? Form.JSON
                    : Form.REPLACED;
        }

        @Override
        public void send(int status, HeaderBlock answer, byte[] body, int offset, int length) {
            if (form(status, answer) == Form.WHOLE) {
                form = Form.WHOLE;
                over = true;
                client.send(status, answer, body, offset, length);
                return;
            }
            begin(status, answer);
            write(body, offset, length);
            end();
        }

        @Override
        public void begin(int status, HeaderBlock answer) {
            this.status = status;
            form = form(status, answer);
            switch (form) {
                case WHOLE -> {
                    over = true;
                    client.begin(status, answer);
                }
                case JSON -> BatchReply.this.write(EVENT);
                case EVENTS, DROPPED, REPLACED -> {}
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            switch (begunForm()) {
                case WHOLE -> client.write(bytes, offset, length);
                case EVENTS -> BatchReply.this.write(bytes, offset, length);
                case JSON -> lines(bytes, offset, length);
                case DROPPED, REPLACED -> {}
            }
        }

        /** A line break in JSON is white space; in an event it begins another line of data. */
        private void lines(byte[] bytes, int offset, int length) {
            int from = offset;
            for (int i = offset; i < offset + length; i++) {
                if (bytes[i] == '\n' || bytes[i] == '\r') {
                    BatchReply.this.write(bytes, from, i - from);
                    BatchReply.this.write(NEXT_LINE);
                    from = i + 1;
                }
            }
            BatchReply.this.write(bytes, from, offset + length - from);
        }

        @Override
        public void end() {
            switch (begunForm()) {
                case WHOLE -> client.end();
                case JSON, EVENTS -> BatchReply.this.write(END_EVENT);
                case REPLACED -> replace();
                case DROPPED -> {}
            }
        }

        private void replace() {
            BatchReply.this.write(EVENT);
            BatchReply.this.write(
                    RpcError.of(
                            message.id(),
                            RpcError.INTERNAL_ERROR,
                            "the server answered with status " + status,
                            null));
            BatchReply.this.write(END_EVENT);
        }

        /** What was cut short cannot be told from what follows: the whole is cut short. */
        @Override
        public void abort() {
            over = true;
            client.abort();
        }

        @Override
        public boolean begun() {
            return form != null;
        }

        private Form begunForm() {
            if (form == null) {
                throw new IllegalStateException("the answer has not begun");
            }
            return form;
        }

        @Override
        public void whenGone(Runnable action) {
            whenGone = action;
            if (over) {
                action.run();
            }
        }

        @Override
        public void wake() {
            client.wake();
        }
    }
}

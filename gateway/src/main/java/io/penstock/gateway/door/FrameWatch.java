package io.penstock.gateway.door;

/**
 * Looks at the frame headers of what an HTTP/2 client sends, in passing (RFC 9113 section 4.1).
 *
 * <p>Helidon's HTTP/2 does not tell a handler that its stream was reset, and forgets which streams
 * it has seen when it says goodbye.
 *
 * <p><b>Threads.</b> One.
 */
final class FrameWatch {
    static final int PREFACE_BYTES = 24;

    private static final int HEADER_BYTES = 9;
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private final Listener listener;
    private final byte[] header = new byte[HEADER_BYTES];
    private int filled;
    private int skip = PREFACE_BYTES;

    /** Told of the frames that matter. */
    interface Listener {
        /** A header block begins; {@code whole} if it also ends with this frame. */
        void headers(int stream, boolean whole);

        /** A header block goes on; {@code last} if it ends with this frame. */
        void continued(int stream, boolean last);

        void data(int stream);

        void reset(int stream);

        /** A frame, of whatever type, that brings no request forward. */
        void idle();
    }

    FrameWatch(Listener listener) {
        this.listener = listener;
    }

    void pass(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            if (skip > 0) {
                int now = Math.min(skip, bytes.length - at);
                skip -= now;
                at += now;
                continue;
            }
            int now = Math.min(HEADER_BYTES - filled, bytes.length - at);
            System.arraycopy(bytes, at, header, filled, now);
            filled += now;
            at += now;
            if (filled == HEADER_BYTES) {
                filled = 0;
                frame();
            }
        }
    }

    private void frame() {
        skip = (header[0] & 255) << 16 | (header[1] & 255) << 8 | header[2] & 255;
        boolean endHeaders = (header[4] & END_HEADERS) != 0;
        int stream =
                (header[5] & 127) << 24
                        | (header[6] & 255) << 16
                        | (header[7] & 255) << 8
                        | header[8] & 255;
        switch (header[3]) {
            case DATA -> {
                listener.data(stream);
                if (skip == 0 && (header[4] & END_STREAM) == 0) {
                    listener.idle();
                }
            }
            case HEADERS -> listener.headers(stream, endHeaders);
            case RST_STREAM -> {
                listener.reset(stream);
                listener.idle();
            }
            case CONTINUATION -> listener.continued(stream, endHeaders);
            case WINDOW_UPDATE -> {
                // As many as there is to read.
            }
            default -> listener.idle();
        }
    }
}

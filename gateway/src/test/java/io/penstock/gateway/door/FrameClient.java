package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.http.http2.Http2FrameData;
import io.helidon.http.http2.Http2FrameHeader;
import io.helidon.http.http2.Http2Headers;
import io.helidon.http.http2.Http2HuffmanDecoder;
import io.helidon.http.http2.Http2Setting;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.function.Predicate;

/** An HTTP/2 client that sends whatever frames it is told to. */
final class FrameClient implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;
    static final int END_STREAM = 1;
    static final int ACK = 1;
    static final int END_HEADERS = 4;

    /** The connection has ended. */
    static final int END = -1;

    private static final byte[] PREFACE =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    final Socket socket;
    private final DataInputStream in;
    private final Deque<Frame> read = new ArrayDeque<>();
    private final Http2Headers.DynamicTable table =
            Http2Headers.DynamicTable.create(Http2Setting.HEADER_TABLE_SIZE.defaultValue());
    private final Http2HuffmanDecoder huffman = Http2HuffmanDecoder.create();

    /** One frame; {@code status} and {@code Content-Length} of a header block, else 0 and -1. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Frame(int type, int flags, int stream, byte[] payload, int status, long length) {
        boolean ends() {
            return (flags & END_STREAM) != 0;
        }

        /** A whole number in the payload: an error code, a stream. */
        int number(int at) {
            return (payload[at] & 255) << 24
                    | (payload[at + 1] & 255) << 16
                    | (payload[at + 2] & 255) << 8
                    | payload[at + 3] & 255;
        }

        @Override
        public String toString() {
            return type + "/" + flags + "/" + stream + ":" + HexFormat.of().formatHex(payload);
        }

        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    private FrameClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Listening.PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    /** Connects and says hello; {@code window} is what each stream may send to us at first. */
    static FrameClient connect(int port, int window) {
        FrameClient client = open(port);
        client.write(PREFACE);
        client.frame(
                SETTINGS,
                0,
                0,
                new byte[] {
                    0,
                    4,
                    (byte) (window >>> 24),
                    (byte) (window >>> 16),
                    (byte) (window >>> 8),
                    (byte) window
                });
        return client;
    }

    static FrameClient connect(int port) {
        return connect(port, 1 << 20);
    }

    /** Connects and says nothing. */
    static FrameClient open(int port) {
        try {
            return new FrameClient(new Socket(InetAddress.getByName("127.0.0.1"), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request without a body. */
    FrameClient get(int stream, String path, String... headers) {
        return head(stream, "GET", path, END_HEADERS | END_STREAM, headers);
    }

    /** A request whose body is to come. */
    FrameClient post(int stream, String path, String... headers) {
        return head(stream, "POST", path, END_HEADERS, headers);
    }

    FrameClient head(int stream, String method, String path, int flags, String... headers) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        known(block, 2, method);
        known(block, 6, "http");
        known(block, 4, path);
        known(block, 1, "gate");
        for (int i = 0; i < headers.length; i += 2) {
            field(block, headers[i], headers[i + 1]);
        }
        return frame(HEADERS, flags, stream, block.toByteArray());
    }

    FrameClient data(int stream, String text, boolean last) {
        return frame(DATA, last ? END_STREAM : 0, stream, text.getBytes(StandardCharsets.UTF_8));
    }

    FrameClient reset(int stream) {
        return frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
    }

    FrameClient ping() {
        return frame(PING, 0, 0, new byte[8]);
    }

    FrameClient frame(int type, int flags, int stream, byte[] payload) {
        byte[] frame = new byte[9 + payload.length];
        frame[0] = (byte) (payload.length >>> 16);
        frame[1] = (byte) (payload.length >>> 8);
        frame[2] = (byte) payload.length;
        frame[3] = (byte) type;
        frame[4] = (byte) flags;
        frame[5] = (byte) (stream >>> 24);
        frame[6] = (byte) (stream >>> 16);
        frame[7] = (byte) (stream >>> 8);
        frame[8] = (byte) stream;
        System.arraycopy(payload, 0, frame, 9, payload.length);
        return write(frame);
    }

    FrameClient write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame of that type on that stream; others are kept for later. */
    Frame next(int stream, int type) {
        return next(frame -> frame.stream == stream && frame.type == type);
    }

    /** The status of a stream's answer. */
    int status(int stream) {
        return next(stream, HEADERS).status;
    }

    /** The next frame that fits; the connection's end fits nothing, and fails. */
    Frame next(Predicate<Frame> fits) {
        for (Iterator<Frame> each = read.iterator(); each.hasNext(); ) {
            Frame frame = each.next();
            if (fits.test(frame)) {
                each.remove();
                return frame;
            }
        }
        while (true) {
            Frame frame = read();
            if (fits.test(frame)) {
                return frame;
            }
            if (frame.type == END) {
                throw new AssertionError(
                        "the connection ended; kept: " + read.stream().limit(20).toList());
            }
            read.add(frame);
        }
    }

    /** Reads on to the connection's end. */
    void awaitEnd() {
        Frame ignored = next(frame -> frame.type == END);
    }

    private Frame read() {
        try {
            int first = in.read();
            if (first < 0) {
                return new Frame(END, 0, 0, new byte[0], 0, -1);
            }
            byte[] rest = new byte[8];
            in.readFully(rest);
            int length = first << 16 | (rest[0] & 255) << 8 | rest[1] & 255;
            byte[] payload = new byte[length];
            in.readFully(payload);
            int stream =
                    (rest[4] & 127) << 24
                            | (rest[5] & 255) << 16
                            | (rest[6] & 255) << 8
                            | rest[7] & 255;
            if (rest[2] != HEADERS) {
                return new Frame(rest[2], rest[3], stream, payload, 0, -1);
            }
            Http2Headers block = decode(first, rest, payload);
            long size = block.httpHeaders().contentLength().orElse(-1);
            return new Frame(rest[2], rest[3], stream, payload, block.status().code(), size);
        } catch (SocketException | EOFException e) {
            return new Frame(END, 0, 0, new byte[0], 0, -1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Http2Headers decode(int first, byte[] rest, byte[] payload) {
        byte[] header = new byte[9];
        header[0] = (byte) first;
        System.arraycopy(rest, 0, header, 1, 8);
        Http2FrameHeader frame = Http2FrameHeader.create(BufferData.create(header));
        return Http2Headers.create(
                null, table, huffman, new Http2FrameData(frame, BufferData.create(payload)));
    }

    /** A literal field that is not indexed, without Huffman (RFC 7541 section 6.2.2). */
    private static void field(ByteArrayOutputStream into, String name, String value) {
        into.write(0);
        string(into, name);
        string(into, value);
    }

    /** The same with a name of the static table: {@code :authority} is 1. */
    private static void known(ByteArrayOutputStream into, int name, String value) {
        into.write(name);
        string(into, value);
    }

    private static void string(ByteArrayOutputStream into, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            into.write(bytes.length);
        } else {
            into.write(127);
            int left = bytes.length - 127;
            while (left >= 128) {
                into.write(left & 127 | 128);
                left >>>= 7;
            }
            into.write(left);
        }
        into.writeBytes(bytes);
    }

    @Override
    public void close() {
        leave();
    }

    /** Closes before its time. */
    void leave() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

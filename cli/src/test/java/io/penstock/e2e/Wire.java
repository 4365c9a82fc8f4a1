package io.penstock.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One HTTP/1.1 connection of a client, byte by byte: it sends whatever a test wants to send,
 * correct or not, and reads answers strictly.
 */
final class Wire implements AutoCloseable {
    static final int READ_MILLIS = 20_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** An answer with its body read whole. */
    record Answer(int status, Map<String, String> headers, byte[] body) {
        Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            try {
                return JSON.readTree(body);
            } catch (IOException e) {
                throw new UncheckedIOException("not JSON: " + text(), e);
            }
        }

        String decision() {
            return header("Penstock-Decision").orElse("none");
        }
    }

    private final Socket socket;
    private final InputStream in;

    private Wire(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 8192);
    }

    static Wire open(int port) throws IOException {
        var socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_MILLIS);
        socket.connect(new InetSocketAddress("127.0.0.1", port), 5_000);
        return new Wire(socket);
    }

    /** A whole request with a correct frame. */
    static byte[] request(String method, String target, List<String> headerLines, byte[] body) {
        var head = new StringBuilder(method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        headerLines.forEach(line -> head.append(line).append("\r\n"));
        if (body.length > 0 || !method.equals("GET")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
        var out = new ByteArrayOutputStream(start.length + body.length);
        out.writeBytes(start);
        out.writeBytes(body);
        return out.toByteArray();
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void send(String text) throws IOException {
        send(text.getBytes(StandardCharsets.UTF_8));
    }

    void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    Answer call(byte[] request) throws IOException {
        send(request);
        return answer();
    }

    /** Reads one answer to its end. */
    Answer answer() throws IOException {
        Answer head = head();
        var body = new ByteArrayOutputStream();
        if (head.status == 204 || head.status == 304) return head;
        if (head.header("Transfer-Encoding").orElse("").equalsIgnoreCase("chunked")) {
            for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) body.writeBytes(chunk);
        } else if (head.header("Content-Length").isPresent()) {
            body.writeBytes(exactly(Integer.parseInt(head.header("Content-Length").orElseThrow())));
        } else {
            in.transferTo(body);
        }
        return new Answer(head.status, head.headers, body.toByteArray());
    }

    /** Reads the head alone; the body follows with {@link #chunk()}. */
    Answer head() throws IOException {
        String line = line();
        if (!line.startsWith("HTTP/1.1 ")) throw new IOException("not a status line: " + line);
        Map<String, String> headers = new TreeMap<>();
        for (String field = line(); !field.isEmpty(); field = line()) {
            int colon = field.indexOf(':');
            headers.put(
                    field.substring(0, colon).toLowerCase(Locale.ROOT),
                    field.substring(colon + 1).strip());
        }
        return new Answer(Integer.parseInt(line, 9, 12, 10), headers, new byte[0]);
    }

    /** The next chunk of a chunked body; empty at its end. */
    byte[] chunk() throws IOException {
        int size = Integer.parseInt(line().strip(), 16);
        byte[] bytes = exactly(size);
        if (!line().isEmpty()) throw new IOException("no line end after a chunk");
        return bytes;
    }

    /** Whether the other side has closed, with nothing left to read; waits for it. */
    boolean closed() {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return !(e instanceof java.net.SocketTimeoutException);
        }
    }

    /** Reads to the end of the connection, however it ends. */
    void drain() {
        try {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError("the connection stays open", e);
        } catch (IOException e) {
            // reset is an end, too
        }
    }

    private byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size)
            throw new EOFException("closed after " + bytes.length + " of " + size);
        return bytes;
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream(64);
        while (true) {
            int next = in.read();
            if (next < 0) throw new EOFException("closed within a line: " + line);
            if (next == '\n') break;
            if (next != '\r') line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // nothing is lost: the test is through with it
        }
    }
}

package io.penstock.gateway.door;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A client that sends whatever bytes it is given, and reads HTTP/1.1 answers. */
final class RawClient implements AutoCloseable {
    final Socket socket;
    private final InputStream in;

    /** An answer as read. */
    record Answer(int status, List<String> lines, String body) {

        /** The value of the header of that name, or null. */
        @Nullable String header(String name) {
            String start = name.toLowerCase(Locale.ROOT) + ":";
            for (String line : lines) {
                if (line.toLowerCase(Locale.ROOT).startsWith(start)) {
                    return line.substring(start.length()).strip();
                }
            }
            return null;
        }
    }

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Listening.PATIENCE.toMillis());
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    static RawClient connect(int port) {
        try {
            return new RawClient(new Socket(InetAddress.getByName("127.0.0.1"), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawClient over(Socket socket) {
        try {
            return new RawClient(socket);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RawClient send(String text) {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends as much as the server takes; a server that closes meanwhile is no failure. */
    void sendWhatGoes(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            return;
        }
    }

    void halfClose() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Answer answer() {
        return answer(false);
    }

    Answer answer(boolean toHead) {
        try {
            String[] status = line().split(" ", 3);
            List<String> lines = new ArrayList<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                lines.add(line);
            }
            Answer head = new Answer(Integer.parseInt(status[1]), lines, "");
            return new Answer(head.status, lines, toHead ? "" : body(head));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String line() {
        try {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int b = in.read(); b != '\n'; b = in.read()) {
                if (b < 0) {
                    throw new IOException("ended inside a line: " + line);
                }
                line.write(b);
            }
            return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What still comes until the server closes; a reset counts as a close. */
    String rest() {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            for (int b = in.read(); b >= 0; b = in.read()) {
                rest.write(b);
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new UncheckedIOException("not closed", e);
        } catch (IOException e) {
            // Reset.
        }
        return rest.toString(StandardCharsets.ISO_8859_1);
    }

    private String body(Answer head) throws IOException {
        String length = head.header("Content-Length");
        if (length != null) {
            return new String(in.readNBytes(Integer.parseInt(length)), StandardCharsets.ISO_8859_1);
        }
        if (!"chunked".equals(head.header("Transfer-Encoding"))) {
            return "";
        }
        StringBuilder body = new StringBuilder();
        while (true) {
            int size = Integer.parseInt(line(), 16);
            body.append(new String(in.readNBytes(size), StandardCharsets.ISO_8859_1));
            String end = line();
            if (!end.isEmpty()) {
                throw new IOException("after a chunk: " + end);
            }
            if (size == 0) {
                return body.toString();
            }
        }
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

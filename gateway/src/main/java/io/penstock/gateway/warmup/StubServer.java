package io.penstock.gateway.warmup;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Answers every request on loopback with the same few bytes; for warming up alone. */
final class StubServer implements AutoCloseable {
    private static final byte[] ANSWER =
            """
            HTTP/1.1 200 OK\r
            Content-Type: application/json\r
            Content-Length: 36\r
            \r
            {"jsonrpc":"2.0","id":1,"result":{}}\
            """
                    .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END_OF_HEAD = {'\r', '\n', '\r', '\n'};

    private final ServerSocket server;

    StubServer() throws IOException {
        server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().name("penstock-warmup-stub").start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                Thread.ofVirtual().start(() -> answer(socket));
            } catch (IOException e) {
                return;
            }
        }
    }

    /** Requests come one after the other, each with the same body length. */
    private static void answer(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (skipHead(in)) {
                in.skipNBytes(WarmUp.BODY.length);
                socket.getOutputStream().write(ANSWER);
            }
        } catch (IOException e) {
            // The client has gone, as it does when the warm-up is over.
            return;
        }
    }

    private static boolean skipHead(InputStream in) throws IOException {
        int matched = 0;
        while (matched < END_OF_HEAD.length) {
            int next = in.read();
            if (next < 0) {
                return false;
            }
            matched = next == END_OF_HEAD[matched] ? matched + 1 : next == '\r' ? 1 : 0;
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}

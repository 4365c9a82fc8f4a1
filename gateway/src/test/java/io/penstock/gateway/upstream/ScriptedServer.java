package io.penstock.gateway.upstream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A server written by hand, so that it can do on a socket what no proper server does. */
final class ScriptedServer implements AutoCloseable {

    /** What to do with one accepted connection; it is closed afterwards. */
    @FunctionalInterface
    interface Script {
        void run(Peer peer) throws Exception;
    }

    private final ServerSocket listener;
    private final Script script;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    final List<String> requests = new CopyOnWriteArrayList<>();

    ScriptedServer(Script script) throws IOException {
        this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), script);
    }

    ScriptedServer(ServerSocket listener, Script script) {
        this.listener = listener;
        this.script = script;
        Thread.ofVirtual().start(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                sockets.add(socket);
                accepted.incrementAndGet();
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            script.run(new Peer(socket));
        } catch (Exception gone) {
            // The client's view is what tests look at.
        }
        sockets.remove(socket);
    }

    int connections() {
        return accepted.get();
    }

    URI url(String path) {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort() + path);
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket each : sockets) {
            each.close();
        }
    }

    /** One connection, from the server's side. */
    final class Peer {
        final Socket socket;
        final InputStream in;
        final OutputStream out;

        private Peer(Socket socket) throws IOException {
            this.socket = socket;
            in = socket.getInputStream();
            out = socket.getOutputStream();
        }

        /** Reads one head, without its body; null at the end of the connection. */
        @Nullable String head() throws IOException {
            ByteArrayOutputStream head = new ByteArrayOutputStream();
            int last = 0;
            while (true) {
                int next = in.read();
                if (next < 0) {
                    return null;
                }
                head.write(next);
                last = last << 8 | next;
                if (last == 0x0D0A0D0A) {
                    String text = head.toString(StandardCharsets.ISO_8859_1);
                    requests.add(text);
                    return text;
                }
            }
        }

        /** Reads one request with its body; null at the end of the connection. */
        @Nullable String request() throws IOException {
            String head = head();
            if (head == null) {
                return null;
            }
            int at = head.indexOf("Content-Length: ");
            if (at < 0) {
                return head;
            }
            int length = Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
            return head + new String(in.readNBytes(length), StandardCharsets.ISO_8859_1);
        }

        void say(String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
        }

        /** Waits until the other side closes. */
        void waitForEnd() throws IOException {
            while (in.read() >= 0) {
                continue;
            }
        }
    }
}

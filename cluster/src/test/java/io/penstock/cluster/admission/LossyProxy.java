package io.penstock.cluster.admission;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between a client and its database and can lose answers: what the server sends next never
 * arrives, and then the connection is gone. So the server has done what the client will never know.
 */
final class LossyProxy implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("//([^:/,]+):(\\d+)/");

    final AtomicInteger lost = new AtomicInteger();
    private final InetSocketAddress server;
    private final ServerSocket door;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();

    LossyProxy(String url) throws IOException {
        Matcher address = ADDRESS.matcher(url);
        if (!address.find()) {
            throw new IllegalArgumentException("no host and port in " + url);
        }
        server = new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2)));
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** The same database through this proxy. */
    String through(String url) {
        return ADDRESS.matcher(url).replaceFirst("//127.0.0.1:" + door.getLocalPort() + "/");
    }

    /** Loses the next answer on every connection. */
    void loseAnswers() {
        lines.forEach(line -> line.losing = true);
    }

    private void accept() {
        try {
            while (!door.isClosed()) {
                Socket client = door.accept();
                Socket target = new Socket();
                target.connect(server);
                Line line = new Line(client, target);
                lines.add(line);
                Thread.ofVirtual().start(line::forth);
                Thread.ofVirtual().start(line::back);
            }
        } catch (IOException e) {
            close();
        }
    }

    @Override
    public void close() {
        cut();
    }

    /** Ends every connection, and takes no more. */
    void cut() {
        try {
            door.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        lines.forEach(Line::end);
    }

    private final class Line {
        private final Socket client;
        private final Socket target;
        volatile boolean losing;

        Line(Socket client, Socket target) throws IOException {
            this.client = client;
            this.target = target;
            client.setTcpNoDelay(true);
            target.setTcpNoDelay(true);
        }

        void forth() {
            pump(client, target, false);
        }

        void back() {
            pump(target, client, true);
        }

        private void pump(Socket from, Socket to, boolean answers) {
            byte[] buffer = new byte[1 << 16];
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                int count = in.read(buffer);
                while (count >= 0 && !(answers && losing)) {
                    out.write(buffer, 0, count);
                    count = in.read(buffer);
                }
                if (answers && losing && count >= 0) {
                    lost.incrementAndGet();
                }
            } catch (IOException e) {
                // One side is gone; the other goes too.
            } finally {
                end();
            }
        }

        void end() {
            lines.remove(this);
            try (client;
                    target) {
                losing = false;
            } catch (IOException e) {
                // Closing is all that is left to do.
            }
        }
    }
}

package io.penstock.cli.up;

import io.penstock.cli.terminal.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds ports that nobody has, and keeps the shared one.
 *
 * <p>Two {@code up}s could otherwise share a port without a word, because their replicas all ask
 * for SO_REUSEPORT. So the port is tried without that option first, and then held by a socket that
 * is bound with it and never listens.
 */
final class PortChoice implements AutoCloseable {
    private static final int ATTEMPTS = 50;
    private static final int PORT_MAX = 65_535;

    private final Set<Integer> given = new TreeSet<>();
    private @Nullable SocketChannel held;

    /** Whether the kernel spreads connections over the processes that share a port. */
    static boolean sharing() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return system.contains("linux");
    }

    /** The first free port from there on. */
    int from(String host, int wanted) {
        for (int port = wanted; port < wanted + ATTEMPTS && port <= PORT_MAX; port++) {
            if (!given.contains(port) && free(host, port)) {
                given.add(port);
                return port;
            }
        }
        throw CommandFailure.failed(
                "no free port from " + wanted + " to " + (wanted + ATTEMPTS - 1));
    }

    /** Any free port of the loopback interface. */
    int any() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = socket.getLocalPort();
            return given.add(port) ? port : any();
        } catch (IOException e) {
            throw new CommandFailure(1, "no free port: " + e.getMessage(), e);
        }
    }

    /** Keeps a port from others while the processes that share it come and go. */
    void hold(String host, int port) {
        try {
            SocketChannel channel = SocketChannel.open();
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            channel.bind(new InetSocketAddress(host, port));
            held = channel;
        } catch (IOException e) {
            throw new CommandFailure(1, "cannot keep port " + port + ": " + e.getMessage(), e);
        }
    }

    private static boolean free(String host, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(host, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        if (held != null) {
            try {
                held.close();
            } catch (IOException e) {
                // The process ends now and the kernel closes it.
            }
        }
    }
}

package io.penstock.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The cable between the replicas and Postgres, with a hand on it: it passes bytes, cuts every
 * connection and refuses new ones, or lets nothing through while all connections stay open.
 */
final class Tap implements AutoCloseable {
    /** What the cable does now. */
    enum State {
        OPEN,
        CUT,
        FROZEN
    }

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private State state;

    private Tap(ServerSocket listener, InetSocketAddress target, State state) {
        this.listener = listener;
        this.target = target;
        this.state = state;
    }

    static Tap to(String host, int port, State state) {
        try {
            var listener = new ServerSocket(0, 256, InetAddress.getLoopbackAddress());
            var tap = new Tap(listener, new InetSocketAddress(host, port), state);
            Thread.ofPlatform().daemon().name("e2e-tap").start(tap::accept);
            return tap;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return listener.getLocalPort();
    }

    void turn(State next) {
        lock.lock();
        try {
            state = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (next == State.CUT) sockets.forEach(Tap::closeQuietly);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (current() == State.CUT) {
                    client.close();
                    continue;
                }
                Thread.ofVirtual().start(() -> connect(client));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        var server = new Socket();
        sockets.add(client);
        sockets.add(server);
        try {
            server.connect(target, 5_000);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            drop(client, server);
            return;
        }
        Thread.ofVirtual().start(() -> pump(client, server));
        pump(server, client);
    }

    private void pump(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] buffer = new byte[65_536];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                awaitFlow();
                out.write(buffer, 0, count);
            }
        } catch (IOException e) {
            // one side is gone: the other follows
        } finally {
            drop(from, to);
        }
    }

    private void awaitFlow() throws IOException {
        lock.lock();
        try {
            while (state == State.FROZEN) changed.awaitUninterruptibly();
            if (state == State.CUT) throw new IOException("cut");
        } finally {
            lock.unlock();
        }
    }

    private State current() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    private void drop(Socket one, Socket two) {
        closeQuietly(one);
        closeQuietly(two);
        sockets.remove(one);
        sockets.remove(two);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // closed is closed
        }
    }

    @Override
    public void close() {
        turn(State.CUT);
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

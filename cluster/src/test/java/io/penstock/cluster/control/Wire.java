package io.penstock.cluster.control;

import io.penstock.cluster.postgres.DatabaseConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A TCP wire to the database that a test can freeze, cut and mend. */
public final class Wire implements AutoCloseable {
    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition thawed = lock.newCondition();
    private boolean frozen;
    private volatile boolean cut;

    public Wire(DatabaseConfig database) throws IOException {
        URI uri = URI.create(database.url().substring("jdbc:".length()));
        target = new InetSocketAddress(uri.getHost(), uri.getPort());
        listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /** The same database through this wire. */
    public DatabaseConfig through(DatabaseConfig database) {
        URI uri = URI.create(database.url().substring("jdbc:".length()));
        String url =
                database.url()
                        .replace(
                                uri.getHost() + ":" + uri.getPort(),
                                "127.0.0.1:" + listener.getLocalPort());
        return new DatabaseConfig(url, database.user(), database.password(), database.poolSize());
    }

    /** Nothing passes any more, and nothing is closed. */
    public void freeze() {
        lock.lock();
        try {
            frozen = true;
        } finally {
            lock.unlock();
        }
    }

    /** Closes everything and takes nothing. */
    public void cut() {
        cut = true;
        sockets.forEach(Wire::close);
    }

    /** Passes everything again. */
    public void mend() {
        lock.lock();
        try {
            cut = false;
            frozen = false;
            thawed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                if (cut) {
                    close(client);
                    continue;
                }
                Socket server = new Socket();
                sockets.add(server);
                server.connect(target);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Thread.ofPlatform().daemon().start(() -> pass(client, server));
                Thread.ofPlatform().daemon().start(() -> pass(server, client));
            } catch (IOException e) {
                // The listener was closed, or the target is gone: the client finds out.
                continue;
            }
        }
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int n;
            while ((n = in.read(buffer)) >= 0) {
                awaitThaw();
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            // One side ended; closing both is all there is to do.
            close(from);
        }
    }

    private void awaitThaw() {
        lock.lock();
        try {
            while (frozen) {
                thawed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        mend();
        cut();
    }
}

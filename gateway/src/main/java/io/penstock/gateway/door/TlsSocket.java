package io.penstock.gateway.door;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * TLS over one of Helidon's plain sockets.
 *
 * <p>Helidon's own TLS socket cannot be cut from another thread: its {@code close} waits for locks
 * that a silent client holds for ever, in the handshake already. And Helidon looks up the name of
 * every client's address before a handshake. With TLS above the plain socket, time limits and cuts
 * work below it.
 *
 * <p>Renegotiation, which only TLS 1.2 has, ends the connection.
 *
 * <p><b>Threads.</b> One reads, others write. {@code writing} guards the engine's outgoing side and
 * is held while a record is written: records must not overtake each other.
 */
final class TlsSocket implements HelidonSocket {
    private static final int RECORD_BYTES = 16 * 1024;

    private final HelidonSocket plain;
    private final SSLEngine engine;
    private final ReentrantLock writing = new ReentrantLock();

    /** Ciphertext that was read and not unwrapped yet, ready to be read from. */
    private ByteBuffer received = ByteBuffer.allocate(0);

    private ByteBuffer opened;
    private ByteBuffer sealed;

    TlsSocket(HelidonSocket plain, SSLEngine engine) {
        this.plain = plain;
        this.engine = engine;
        opened = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        sealed = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    }

    /**
     * Shakes hands.
     *
     * @return false where the connection ended meanwhile
     * @throws UncheckedIOException where the two do not agree; the client was told
     */
    boolean handshake() {
        try {
            engine.beginHandshake();
            return shake();
        } catch (SSLException e) {
            sayFailure();
            throw new UncheckedIOException(e);
        }
    }

    /** The client's certificate, where it presented one that was accepted. */
    @Nullable X509Certificate certificate() {
        try {
            Certificate[] chain = engine.getSession().getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate x509 ? x509 : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** Tells the client that nothing more will come. */
    void sayClose() {
        engine.closeOutbound();
        sayFailure();
    }

    @Override
    public byte @Nullable [] get() {
        try {
            while (true) {
                SSLEngineResult result = unwrap();
                if (result == null) {
                    return null;
                }
                if (opened.position() > 0) {
                    return Arrays.copyOf(opened.array(), opened.position());
                }
                if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                    return null;
                }
                afterwards(result.getHandshakeStatus());
            }
        } catch (SSLException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(BufferData buffer) {
        byte[] bytes = new byte[Math.min(buffer.available(), RECORD_BYTES)];
        writing.lock();
        try {
            while (buffer.available() > 0) {
                int read = buffer.read(bytes, 0, Math.min(buffer.available(), bytes.length));
                wrap(ByteBuffer.wrap(bytes, 0, read));
            }
        } catch (SSLException e) {
            throw new UncheckedIOException(e);
        } finally {
            writing.unlock();
        }
    }

    @Override
    public boolean protocolNegotiated() {
        String protocol = engine.getApplicationProtocol();
        return protocol != null && !protocol.isEmpty();
    }

    @Override
    public String protocol() {
        if (!protocolNegotiated()) {
            throw new NoSuchElementException("no protocol was negotiated");
        }
        return engine.getApplicationProtocol();
    }

    /** Closes the plain socket: see the class. */
    @Override
    public void close() {
        plain.close();
    }

    @Override
    public void idle() {
        plain.idle();
    }

    @Override
    public boolean isConnected() {
        return plain.isConnected();
    }

    @Override
    @Deprecated
    @SuppressWarnings("removal")
    public int read(BufferData buffer) {
        throw new UnsupportedOperationException("use get()");
    }

    @Override
    public PeerInfo remotePeer() {
        return plain.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
        return plain.localPeer();
    }

    @Override
    public boolean isSecure() {
        return true;
    }

    @Override
    public String socketId() {
        return plain.socketId();
    }

    @Override
    public String childSocketId() {
        return plain.childSocketId();
    }

    private boolean shake() throws SSLException {
        while (true) {
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> wrapNothing();
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    SSLEngineResult result = unwrap();
                    if (result == null || result.getStatus() == SSLEngineResult.Status.CLOSED) {
                        return false;
                    }
                }
                case FINISHED, NOT_HANDSHAKING -> {
                    return true;
                }
            }
        }
    }

    /** After the handshake only small things of TLS 1.3 are left to do: a key update's answer. */
    private void afterwards(HandshakeStatus status) throws SSLException {
        if (status == HandshakeStatus.NEED_WRAP) {
            wrapNothing();
        } else if (status == HandshakeStatus.NEED_TASK) {
            throw new SSLException("renegotiation is refused");
        }
    }

    private void runTasks() {
        Runnable task = engine.getDelegatedTask();
        while (task != null) {
            task.run();
            task = engine.getDelegatedTask();
        }
    }

    /** Unwraps one record into {@code opened}; null at the end of the plain connection. */
    private @Nullable SSLEngineResult unwrap() throws SSLException {
        opened.clear();
        while (true) {
            SSLEngineResult result = engine.unwrap(received, opened);
            switch (result.getStatus()) {
                case BUFFER_UNDERFLOW -> {
                    byte[] piece = plain.get();
                    if (piece == null) {
                        return null;
                    }
                    receive(piece);
                }
                case BUFFER_OVERFLOW ->
                        opened =
                                ByteBuffer.allocate(
                                        Math.max(
                                                2 * opened.capacity(),
                                                engine.getSession().getApplicationBufferSize()));
                case OK, CLOSED -> {
                    return result;
                }
            }
        }
    }

    private void receive(byte[] piece) {
        int unread = received.remaining();
        if (unread == 0) {
            received = ByteBuffer.wrap(piece);
            return;
        }
        byte[] both = new byte[unread + piece.length];
        received.get(both, 0, unread);
        System.arraycopy(piece, 0, both, unread, piece.length);
        received = ByteBuffer.wrap(both);
    }

    private void wrapNothing() throws SSLException {
        writing.lock();
        try {
            wrap(ByteBuffer.allocate(0));
        } finally {
            writing.unlock();
        }
    }

    /** Seals and writes all of it; the caller holds {@code writing}. */
    private void wrap(ByteBuffer clear) throws SSLException {
        do {
            sealed.clear();
            SSLEngineResult result = engine.wrap(clear, sealed);
            if (result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW) {
                sealed = ByteBuffer.allocate(2 * sealed.capacity());
                continue;
            }
            if (result.bytesProduced() > 0) {
                plain.write(BufferData.createReadOnly(sealed.array(), 0, sealed.position()));
            }
            if (result.getStatus() == SSLEngineResult.Status.CLOSED && clear.hasRemaining()) {
                throw new SSLException("TLS was closed");
            }
        } while (clear.hasRemaining());
    }

    /** Sends the alert that the engine has ready, if it can still be sent. */
    private void sayFailure() {
        try {
            wrapNothing();
        } catch (SSLException | UncheckedIOException e) {
            // The connection is about to be closed in any case.
        }
    }
}
